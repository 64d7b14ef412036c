package grounding

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The forms in Chinese.
var (
	over    = `(?:已经|都|也|刚|全|就)*(?:被偷|卖|退租|退|取消|停办|停|关门|关|解散|散|倒闭|没|去世|报废|送人|拆|黄|处理)(?:掉|光)?了`
	formsZH = []*regexp.Regexp{
		regexp.MustCompile(`(?:^|我们?|已经|就|昨天|今天|前天|上周|刚)把(?P<thing>\p{Han}{1,8}?)(?:都|给)?(?:卖|退|停|取消|送人|送|处理|转让|捐|关|辞)(?:掉|光)?了`),
		regexp.MustCompile(`^(?:我们?|我家)?(?P<who>)?(?:已经|现在|以后)?(?:不再|不)(?:去|学|练|玩|打|跳|唱|种|养|做|上|租|订|看)?(?P<thing>\p{Han}{2,6}?)了$`),
		regexp.MustCompile(`^(?:我们?|我家)?(?:已经|刚|昨天|今天|上周)?(?:卖|退|停|取消|关|辞|戒)掉?了(?P<thing>\p{Han}{1,8})$`),
		regexp.MustCompile(`^(?P<thing>\p{Han}{1,10}?)` + over + `$`),
		regexp.MustCompile(`^(?P<thing>\p{Han}{1,10}?)(?:已经|又)?(?:改到|改在|改成|改为|推迟到|提前到|挪到|延到|定到)(?:了)?(?P<at>.+?)(?:了)?$`),
	}
	doubtZH   = regexp.MustCompile(`可能|也许|要不要|想|打算|考虑|准备|如果|要是|差点|没有|没卖|没退|没取消|还没|吗|会不会|应该|[要该]把|听说|说|以前|当时`)
	clausesZH = regexp.MustCompile(`[，。！；、,.!;…\s]+`)
	speakerZH = regexp.MustCompile(`^(?:我们家|我们|我家|咱们家|咱家|咱们|家里|我|那|这|所有)的?`)
	suffixZH  = regexp.MustCompile(`(?:的?(?:会员卡|会员|卡|课|班|旅行|旅游|行程|聚会|活动|预约|约))$`)
	personZH  = regexp.MustCompile(`(?:我|他|她)(?:[爸妈姐妹哥弟]|爷爷|奶奶|外婆|外公|朋友|同事|老公|老婆|儿子|女儿|男朋友|女朋友)|[他她]|[小老]\p{Han}|\p{Han}[总姐哥叔姨]`)
	verbsZH   = "停在是有很也都就要需平常一被坏放的开去上定约周每冬夏，。,"
	beforeZH  = "我们的家辆部条只台有开卖养租块艘把，。 "
)

// endingOfHan is [endingOf] in Chinese.
func endingOfHan(clause, _ string) (Ending, bool) {
	if clause == "" || doubtZH.MatchString(clause) {
		return Ending{}, false
	}
	for _, form := range formsZH {
		m := form.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		e := Ending{once: strings.Contains(clause, "取消") && isLimited(clause), lacks: strings.Contains(clause, "没了")}
		if at := form.SubexpIndex("at"); at > 0 {
			if e.moved = timed(m[at]); !e.moved {
				continue
			}
		}
		if e.setThingHan(m[form.SubexpIndex("thing")], deathsZH.MatchString(clause)) {
			return e, true
		}
	}
	return Ending{}, false
}

func (e *Ending) setThingHan(s string, died bool) bool {
	s = strings.TrimLeft(s, "昨今前天上周早")
	s = speakerZH.ReplaceAllString(s, "")
	if strings.Contains(s, "会员") {
		e.once = false // a contract
	}
	if who := personZH.FindString(s); died && who == s && utf8.RuneCountInString(s) > 1 {
		e.keys, e.name = []string{s}, s
		return true
	} else if who != "" && strings.HasPrefix(s, who) {
		e.of = who
		s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, who), "家"), "的")
	}
	if short := suffixZH.ReplaceAllString(s, ""); short != "" {
		e.trip = strings.HasSuffix(s, "旅行") || strings.HasSuffix(s, "旅游") || strings.HasSuffix(s, "行程")
		s = short
	}
	for part := range strings.SplitSeq(s, "的") {
		if part != "" {
			e.keys = append([]string{part}, e.keys...)
		}
	}
	return len(e.keys) > 0 && !strings.ContainsAny(s, "不什么事这那了钱人话")
}

// restsHan is [Ending.rests] in Chinese.
func (e *Ending) restsHan(sentence string) bool {
	if happened.MatchString(sentence) {
		return false
	}
	for _, k := range e.keys {
		if !strings.Contains(sentence, k) {
			return false
		}
	}
	if e.name != "" {
		after, subject := strings.CutPrefix(sentence, e.name)
		return subject && presentZH.MatchString(after)
	}
	at := strings.Index(sentence, e.keys[0])
	before, after := sentence[:at], sentence[at+len(e.keys[0]):]
	if clauses := clausesZH.Split(before, -1); strings.ContainsAny(clauses[len(clauses)-1], "不没無") {
		return false
	}
	if e.of != "" {
		return strings.Contains(sentence, e.of)
	}
	if personZH.MatchString(before) {
		return false
	}
	if utf8.RuneCountInString(e.keys[0]) == 1 {
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		return (before == "" || strings.ContainsRune(beforeZH, last)) && (after == "" || strings.ContainsRune(verbsZH, next))
	}
	return true
}
