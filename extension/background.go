package extension

import "context"

type background struct{}

func startBackground(context.Context, *Extension) (*background, error) { return &background{}, nil }

func (b *background) stop(context.Context) error { return nil }

// WaitIdle returns when what works behind the turn has caught up with
// everything published before.
func (x *Extension) WaitIdle(ctx context.Context) error {
	if x.behind == nil {
		return nil
	}
	return x.bus.WaitIdle(ctx)
}
