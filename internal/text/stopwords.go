package text

// IsStopWord reports whether a folded, unstemmed word (lower case, no
// diacritics, apostrophes removed: "dont") is too common to search for. The list
// holds English function words, auxiliaries, their contractions and question
// words, and the commonest function words of German, also in dialect ("wat", "nich"),
// Spanish, French, Russian, Chinese and Japanese. It omits numbers, and foreign words
// that are content words of English ("die", "son", "pour", "war", "ham", "pa", "pos").
func IsStopWord(term string) bool { return stopWords[term] }

var stopWords = WordSet(englishStops, germanStops, spanishStops, frenchStops, russianStops, chineseStops, japaneseStops)

const englishStops = `
a about above after again against all also am an and any are arent as at be because been before being below
between both but by can cannot cant could couldnt did didnt do does doesnt doing done dont down during each
either else ever every few for from further get gets getting go going gonna got had hadnt has hasnt have havent
having he her here hers herself him himself his how however i if im in into is isnt it its itself ive just let
lets like may me might more most much must mustnt my myself neither no nor not now of off often oh ok okay on
once only onto or other our ours ourselves out over own perhaps please quite rather really s same shall shant she
should shouldnt since so some such t than that the their theirs them themselves then there these they this those
though through thus to too under until unless up upon us very via was wasnt we were werent what whatever when
whenever where wherever whether which whichever while who whoever whom whose why will with within without wont
would wouldnt yes yet you your yours yourself yourselves theyre youre youve weve theyve whats hows wheres
whos id ill hes shes thats theres something anything nothing everything someone anyone everyone innit cuz tho`

const germanStops = `
aber als am auch auf aus bei bin bis bist da damit dann das dass dem den denn der des dich dir doch du durch ein
eine einem einen einer eines er es euch fur habe haben hat hatte hier ich ihm ihn ihnen ihr ihre im in ist ja kann
kein keine mein meine mich mir mit nach nicht noch nur ob oder sein seine sich sie sind so uber um und uns unser
vom von vor warum was weil wenn wer wie wir wird wo zu zum zur
dat dit wat watt nich isch ick icke hab jetz nochmal nochma`

const spanishStops = `
al como con cual cuando de del donde el ella ellas ellos en entre era es esa ese eso esta estaba este esto fue ha
hay la las le les lo los mas mi mis muy nos nosotros nuestra nuestro o para pero por porque que quien se ser si sin
sobre soy su sus te tu tus un una uno unos usted y ya yo`

const frenchStops = `
au aux avec ce ces cette dans de des du elle elles en est et etait eux il ils je la le les leur leurs lui mais me
meme mes moi mon ne nos notre nous ou par pas plus pourquoi quand que quel quelle qui quoi sa ses sont sur ta te
tes toi tu un une vos votre vous`

const russianStops = `
а бы был была были было быть в вам вас ваш во вот все вы где да для до его ее если есть еще же за и из или им их к
как какая какой когда кто ли мне мои мой моя мы на над нам нас наш не него нее нет ни них но о об он она они оно
от по под почему при с со так такой там тебя то тоже ты у уже чем что чтобы эта это этот я`

// Chinese and Japanese text is indexed as bigrams, so these are bigrams (and the
// single characters that can stand alone).
const chineseStops = `
的 了 是 在 我 你 他 她 它 和 与 也 就 都 吗 呢 吧 啊 我们 你们 他们 她们 这个 那个 什么 怎么 为什 哪里 哪个 这是
那是 没有 不是 就是 还是 可以 一个`

const japaneseStops = `
は が の を に で と も です ます した する これ それ あれ この その あの ここ そこ どこ なに から まで けど だっ ます
ので ない ある いる`
