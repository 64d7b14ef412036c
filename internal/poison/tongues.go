package poison

import "regexp"

// Other languages: who is meant, and what is wanted, near each other. Accents
// are gone from Latin letters by the time they are looked for.
var (
	foreignAudiences = regexp.MustCompile(`\b(?:(?:ki|ia|ai|chat)[- ]?(?:assisten\w*|asistente\w*|agent\w*|bots?|modell\w*|helfer\w*)|assistenten?|assistentin|assistentes?|assistenti|assistente|asistent(?:es?|ii|ul|um?|i|ka|y|a)?|assistants? (?:ia|numeriques?|virtuels?|:)|(?:aux?|les|l'|l’|votre|vos|cher|chers) ?(?:assistants?|agents?|ia)\b|ayudante|ajudante|aiutante|agentes?\b|agenti\b|bots?|sprachmodelle?|modelos? de lenguaje|modeles? de langage|asystent\w*|yapay zeka\w*|asistan\w*|avustaj\w*|tekoaly\w*|asisten|tro ly|msaidizi|robots?)|助手|助理|智能体|机器人|大模型|语言模型|ai(?:助|模型|代理|秘书|、|，|请|の)|アシスタント|エージェント|ボット|言語モデル|어시스턴트|비서|인공지능|챗봇|ассистент\p{L}*|боту?\p{L}{0,3}\b|помощни\p{L}*|помічни\p{L}*|асистент\p{L}*|модел[иья]\p{L}*|المساعد\p{L}*|للمساعد\p{L}*|مساعد\p{L}*|الذكاء الاصطناعي|ה?עוזר\p{L}*|הבוט|सहायक|असिस्टेंट|एआई|ผู้ช่วย|บอท|βοηθ\p{L}*|دستیار\p{L}*`)
	foreignOrders    = regexp.MustCompile(`merk(?:e|en|t|st)?\b|vermerk\w*|speicher\w*|\bimmer\b|ab sofort|ignorier\w*|vergess\w*|notier\w*|hinterleg\w*|aufnehmen|behalte\w*|weiterleit\w*|recuerd\w*|recordar|guard\w*|\bignor\w*|siempre|a partir de|de ahora|\banot\w*|memori\w*|olvid\w*|autoriz\w*|reten\w*|memoire|souven\w*|toujours|desormais|n'oubli\w*|n’oubli\w*|enregistr\w*|oubliez|jamais|notez|ricord\w*|sempre|d'ora|salvat\w*|lembr\w*|hafiza\w*|belle[kg]\w*|unut\w*|kaydet\w*|hatirla\w*|zapis\w*|zapam\w*|pamiet\w*|zawsze|onthoud\w*|bewaar\w*|voortaan|altijd|vergeet|negeer\w*|kom ihag|alltid|spara\w*|husk\w*|muista\w*|\baina\b|uloz\w*|vzdy|retine\w*|jegyezd\w*|mindig|\bingat\w*|simpan\w*|selalu|ghi nho|luon|kumbuka|daima|记住|記住|忽略|存入|永久|以后|今后|记忆|记下|保存|始终|務必|务必|覚え|記憶|今後|無視|必ず|기억|저장|항상|무시|앞으로|запомн\p{L}*|всегда|навсегда|сохран\p{L}*|запиш\p{L}*|запам\p{L}*|памят\p{L}*|забуд\p{L}*|считать|игнор\p{L}*|зберег\p{L}*|завжди|احفظ\p{L}*|تذكر\p{L}*|تجاهل|ذاكرت\p{L}*|دائم\p{L}*|احتفظ\p{L}*|לזכור|זכור|תמיד|שמור|לשמור|להתעלם|לצמיתות|याद|हमेशा|सहेज|จำ|บันทึก|เสมอ|θυμ\p{L}*|αποθηκευ\p{L}*|παντα|به خاطر|همیشه|ذخیره|geheugen|projektregeln|erwahne|впредь|يتذكر|بسپار|响应|一律|上書き|บันทึก|remember|删除|削除|答え|等她`)
	// outright are orders to forget what was said before, without anybody being
	// named.
	outright = regexp.MustCompile(`(?:ignor|vergiss|missachte)\w* (?:alle|samtliche) (?:vorherigen|bisherigen|fruheren)|(?:ignora|olvida)\w* (?:todas )?las instrucciones|(?:ignorez|oubliez) (?:toutes )?les (?:instructions|consignes)|ignora\w* (?:tutte )?le istruzioni|忽略.{0,12}(?:指示|指令|规则)|(?:指示|命令|ルール).{0,12}無視|игнорируй\p{L}* .{0,40}инструкци|(?:прошлые|предыдущие) (?:правила|инструкции)|تجاهل.{0,30}(?:التعليمات|ما سبق)|모든.{0,20}지시.{0,12}무시|systemanweisung|instruccion(?:es)? del sistema|consigne systeme|系统(?:指令|提示|消息)|システム(?:指示|プロンプト|メッセージ)|системн\p{L}* (?:инструкц|сообщен|промпт)|长期记忆|長期記憶|永久记住|memoria (?:permanente|a largo plazo|persistente)|memoire (?:durable|permanente|a long terme|persistante)|langzeitgedachtnis|долгосрочн\p{L}* памят|受保护|als geschutzt|信任等级|geschutzte erinnerung|系统[:：].{0,60}(?:偏好|用户|保护)`)
)

// What a text is looked at for before those patterns.
const foreignWords = "assistent assistenten assistentin assistentes assistenti assistente asistente asistentes asistent asistentul asistentom agente agentes agenti agents assistants assistant ayudante ajudante aiutante sprachmodell sprachmodelle modelo modelos modele modeles asystent asystenta asystentow asystenci yapay asistan avustaja tekoaly asisten tro msaidizi robot robots bots ki-assistenten helfer agenten instrucciones instructions consignes istruzioni systemanweisung memoria memoire langzeitgedachtnis erinnerung"

var foreignSymbols = []string{
	"助手", "助理", "智能体", "机器人", "模型", "ai", "系统", "指示", "指令", "记忆", "永久", "保护", "アシスタント", "エージェント", "ボット", "モデル", "システム", "記憶", "無視",
	"어시스턴트", "비서", "인공지능", "챗봇", "지시", "ассист", "бот", "помощни", "помічни", "асист", "модел", "инструкц", "правила", "системн", "памят",
	"مساعد", "الذكاء", "التعليمات", "ما سبق", "עוזר", "הבוט", "सहायक", "असिस्टेंट", "एआई", "ผู้ช่วย", "บอท", "βοηθ", "دستیار",
}
