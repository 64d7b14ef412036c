package said

import (
	"regexp"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// leastAnnounced is the probability of staying true of a sentence that announces what holds from
// now on, or says where a thing of work is: its words are rarely those of one's life, to which
// [intent.Lasting] is fitted.
const leastAnnounced = 0.6

// announces reports whether a sentence announces what holds from now on: "v3 is the default from
// today", "From today we deploy on Tuesdays", or names the value of a thing of work: "The staging
// URL is stage.example.com".
func announces(sentence string) bool {
	return announced.MatchString(sentence) && !whileSo.MatchString(sentence) || setting.MatchString(sentence)
}

// announced matches such sentences, by language.
var announced = prefilter.New(
	`(?i)^(?:[^\s,;]+ ){1,8}(?:is|are) (?:now )?(?:the|our|my|no longer) [^,;]* (?:from|as of|starting|effective) (?:today|tomorrow|now|immediately)(?: on(?:wards)?)?[.!]*$`+
		`|^(?:as of|from|starting|effective) (?:today|tomorrow)(?: on(?:wards)?)?,? (?:our|the|all|every\pL*|no|we|i) (?:\pL+ )*?(?:\pL+s|use|run|take|work|go|deploy|bill|charge|ship|support|write|test|need|accept|eat|pay|must) `,
	`(?i)^(?:ab (?:heute|sofort|morgen)|von (?:heute|morgen) an) (?:ist|sind|gilt|gelten|heißt|\pL+e|\pL+en|\pL+t) \pL+|^(?:[^\s,;]+ ){1,8}(?:ist|sind|gilt|gelten) ab (?:heute|sofort|morgen) `,
	`(?i)^(?:a partir de (?:hoy|ahora|mañana)|desde hoy|desde mañana),? (?:\pL+ ){2}|^(?:[^\s,;]+ ){1,8}(?:es|son) (?:el|la|los|las|nuestr[oa]s?) [^,;]* (?:a partir de|desde) (?:hoy|ahora|mañana)[.!]*$`,
	`^从(?:今天|明天|现在)(?:起|开始)?[，,]?.{4,}|(?:是|用|改用|改为).*从(?:今天|明天)(?:起|开始)`,
)

// whileSo matches a stay, a duty or an illness, which ends, and a wish.
var whileSo = prefilter.New(
	`(?i)\b(?:on[- ](?:call|duty|holidays?|vacation|leave|shift|standby|strike)|off|away|abroad|out|here|there|busy|free|alone|back|ill|sick|cold|flu|fever|cough|until|till|this|for (?:a|an|the|one|two|three|four|\d+) (?:day|week|month|hour|weekend)s?|guests?|visitors?|please)\b`,
	`(?i)\b(?:urlaub|bereitschaft|\pL*dienst|ferien|frei|krank\pL*|erkältet|weg|unterwegs|da|bis|diese|nur|besuch|gäste|bin|habe?|haben|hat|bitte|du|sie|wird)\b`,
	`(?i)(?:^|[^\pL])(?:de (?:vacaciones|guardia|baja|viaje)|vacaciones|fuera|aquí|enferm[oa]|resfriad[oa]|hasta|est[aeo]s?|estoy|estamos|está|tengo|tenemos|hay|visita|por favor|te|me respondas?)(?:[^\pL]|$)`,
	`休假|放假|出差|值班|请假|生病|感冒|发烧|住院|到|直到|这|请|你`,
)

// setting matches the value of a thing of work.
var setting = regexp.MustCompile(`(?i)^(?:[^\s,;:]+ ){0,4}(?:url|endpoint|host(?:name)?|database|db|port|domain|repo(?:sitory)?|branch|bucket|registry|datenbank|adresse|base de datos|dominio|repositorio) (?:is|ist|es) (?:now |jetzt |ahora )?(?:\pL+ ){0,2}[^\s%]*(?:\d|[\pL\d][./:_-][\pL\d])[^\s%]*$`)
