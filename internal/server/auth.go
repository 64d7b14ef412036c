package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/extension"
)

// identity is the authenticated caller of a request.
type identity struct {
	token Token
	scope extension.Scope // without a session, but for a local program
}

type identityKey struct{}

func identityOf(ctx context.Context) identity {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id
}

// The headers by which a service names the user.
const (
	userHeader   = "Ebb-User"
	tenantHeader = "Ebb-Tenant"
	// encodedSuffix names the headers of percent-encoded names: most clients send headers
	// in Latin-1.
	encodedSuffix = "-Encoded"
)

// named returns the names that a header and its percent-encoded form hold.
func named(h http.Header, header string) (names []string, err error) {
	names = slices.Clone(h.Values(header))
	for _, encoded := range h.Values(header + encodedSuffix) {
		name, err := url.PathUnescape(encoded)
		if err != nil {
			return nil, errors.New(header + encodedSuffix + " is not percent-encoded")
		}
		names = append(names, name)
	}
	return names, nil
}

// authenticated requires a valid token of a user or a service, and applies its rate
// limit.
func (s *Server) authenticated(next http.Handler) http.Handler { return s.admitted(next, scopeOf) }

// admitted requires a valid token, and applies its rate limit. scopeOf returns the user
// of a request, or the reason why the token is refused.
func (s *Server) admitted(next http.Handler, scopeOf func(Token, *http.Request) (extension.Scope, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, known, err := s.tokens.Find(bearer(r))
		if err != nil {
			s.fault(w, err)
			return
		}
		if !known {
			s.refuse(w, r)
			return
		}
		scope, reason := scopeOf(token, r)
		if reason != "" {
			fail(w, http.StatusForbidden, "user", reason)
			return
		}
		if !s.limiter(token.Hash).Allow() {
			w.Header().Set("Retry-After", "1")
			fail(w, http.StatusTooManyRequests, "rate", "too many requests; wait a second")
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, identity{token, scope})))
	})
}

// bearer returns the token of a request, "" for none.
func bearer(r *http.Request) string {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// maxDelay is the longest delay of a 401 response; beyond it the response is a 429.
const maxDelay = 2 * time.Second

// refuse answers a request without a valid token. Refusals are rate-limited globally
// and not per address, since an attacker can change addresses cheaply.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	wait := s.failures.Reserve()
	if delay := wait.Delay(); delay > maxDelay {
		wait.Cancel()
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusTooManyRequests, "token", "too many requests without a valid token")
		return
	} else if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="ebb"`)
	fail(w, http.StatusUnauthorized, "token", "a valid token is required; ebb token add makes one")
}

// scopeOf returns the user of a request, or the reason why it names no valid one.
func scopeOf(t Token, r *http.Request) (scope extension.Scope, reason string) {
	if t.Metrics {
		return scope, "this token only reads /metrics"
	}
	users, err := named(r.Header, userHeader)
	if err != nil {
		return scope, err.Error()
	}
	tenants, err := named(r.Header, tenantHeader)
	if err != nil {
		return scope, err.Error()
	}
	if !t.Service {
		if len(users)+len(tenants) > 0 {
			return scope, "this token is for one user; " + userHeader + " is for services"
		}
		return extension.Scope{Tenant: t.Tenant, User: t.User}, ""
	}
	if len(users) != 1 || len(tenants) > 1 {
		return scope, "name the user in one header " + userHeader + " or " + userHeader + encodedSuffix
	}
	scope.User = users[0]
	if len(tenants) == 1 {
		scope.Tenant = tenants[0]
	}
	if err := scope.Validate(); err != nil {
		return scope, err.Error()
	}
	return scope, ""
}

// wholeFile admits the tokens that are not for one user: counts of the whole file reveal
// what other users do.
func wholeFile(t Token, _ *http.Request) (scope extension.Scope, reason string) {
	if !t.Metrics && !t.Service {
		reason = "the counts are of all users; ebb token add --as metrics makes a token for them"
	}
	return scope, reason
}

// limiter returns the rate limiter of a token, by the token's hash.
func (s *Server) limiter(hash string) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, known := s.limiters.Get(hash)
	if !known {
		l = rate.NewLimiter(rate.Limit(s.o.Rate), s.o.Burst)
		s.limiters.Add(hash, l)
	}
	return l
}
