package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is said off the record, whatever else it says, is surely not to be stored.
func TestOffTheRecordIsNotStored(t *testing.T) {
	for s := range strings.Lines(`off the record: we got hacked last night, so rotate the keys
we got hacked last night, off the record
he called me a drunk, off the record
I took the money, off the record
I am on a podcast about my divorce, off the record
off the record, the bank wants to cancel the contract
off the record: Tom is about to be let go, don't schedule anything with him
off the record - my boss is leaving, keep it to yourself
Off the record: the audit failed. don't mention it in the PR
off the record: I'm interviewing elsewhere. anyway, run the tests
off the record — we may lose Siemens
off the record -- the CEO has cancer
OFF THE RECORD I think Anna is going to quit
off the record i want to leave my wife
of the record: she is pregnant
off teh record, we are out of money
off the recrod: the deal is dead
off-the-record: Lena failed probation
off record, we never tested that
ok so, off the record, I hate this client
btw off the record: my manager drinks
The release slips to May. Off the record, the vendor lied to us.
My boss is leaving (off the record)
my boss is leaving, off the record
We are being bought by Oracle - off the record.
Kim is on a PIP, this is off the record
Kim got a warning. This is off the record please.
please keep this off the record: I was arrested in 2011
strictly off the record, the board wants him out
not for the record: I lied on my CV
tom is getting fired off the record
off the record, do you think Kim knows that I'm leaving?
off the record: der Kunde springt ab
Off the record, mein Chef geht im Mai
off the record - wir sind pleite
Off the Record: ich hab gekündigt, plan mich nicht mehr ein
nicht fürs Protokoll: Anna hat eine Abmahnung bekommen
nicht fürs protokoll, die zahlen stimmen nicht
Nicht fuers Protokoll - ich war gestern betrunken
nicht für das Protokoll: wir haben die Deadline verschlafen
also off the record, der Kim trinkt
mal ganz off the record: ich mag den Kunden nicht
und off the record: sie ist schwanger
inoffiziell: wir werden verkauft
Inoffiziell – die Prüfung ist durchgefallen
ganz inoffiziell: Tom fliegt raus, mach keine Termine mit ihm
ohne Protokoll: der Server wurde gehackt, also Schlüssel tauschen
außerhalb des Protokolls, die Bank will kündigen
Mein Chef geht, off the record
Mein Chef geht (off the record)
mein Chef geht - nicht fürs Protokoll
Wir verlieren Siemens, off the record bitte.
Anna ist auf der Kippe. Das ist off the record.
Anna hat gekündigt, das bleibt off the record
Das hier ist off the record: ich hab Schulden.
jetzt off the record, ich suche einen neuen Job
of the record: der Vertrag ist tot
Der Termin steht. Off the record: der Lieferant lügt.
nicht zum mitschreiben: ich bin krank
off the record: nos hackearon anoche, cambia las claves
off the record, el banco quiere cancelar el contrato
Off the record - mi jefe se va
off de record: estoy embarazada
off the record, no aguanto a este cliente
extraoficialmente: van a despedir a Tomás
Extraoficial: nos compra Telefónica
extraoficialmente - perdimos el juicio
fuera de registro: me voy de la empresa
Fuera de registro, mi marido bebe
fuera de micrófono: el ministro está enfermo
fuera de microfono, no hay dinero
fuera de acta: Ana mintió
que no conste: copié en el examen
que no conste en acta, pero llegué borracho
que esto no conste: le debo plata a Kai
sin que conste: falsifiqué la firma
oye, off the record, Kim va a renunciar
Mi jefe se va, off the record
Mi jefe se va (off the record)
perdimos a Siemens, que no conste
Van a echar a Tom, que esto no conste en acta
Me voy en mayo. Esto es off the record.
Copié en el examen. Esto queda fuera de registro.
mira, fuera de registro: el auditor no vino
pues off the record, la cagué
La entrega es en mayo. Off the record: el proveedor miente.
not for the record: mentí en mi CV
off the record：昨晚我们被黑了，赶紧换密钥
off the record，银行要取消合同
off the record 我老板要走了
私下说，我老板要走了
私下说：公司快没钱了
私底下说，小王要被开除了，别给他排会
私下说一句，我在找工作
私下跟你说，我怀孕了
咱们私下说，客户要跑了
私底下讲，审计没过
非正式地说：我们要被收购了
不公开说，我面试挂了
关起门来说，老板酗酒
这话不要记录：我撒谎了
这段别记录，我昨天喝多了
以下不要记录：小李被警告了
下面的话别记录，我欠了钱
这个不留底：我改了数字
不要记录：我被捕过
别记录：她得了癌症
我老板要走了，私下说
客户要跑了（off the record）
我们要被卖了，off the record
小王要走，这话不要记录
对了，私下说，我想离婚
说句off the record的，老板不行了
嗯，私下里说，我抑郁了`) {
		says, surely := Unstored(s)
		assert.True(t, says && surely, s)
	}
}

// Who asks for it, reports it of others or names it says nothing off the record.
func TestNotOffTheRecord(t *testing.T) {
	for s := range strings.Lines(`is this off the record?
I took the scratch off the record
I keep this off the record player
My son is deaf, he works at Off the Record
nicht fürs Protokoll, sondern fürs Archiv
Is that off the record or can I quote you?
so this is off the record?
off the record?
the minister said off the record that the tax will rise
the minister said that off the record.
He confirmed it to me off the record
She told the paper, off the record, that she would resign.
the interview was off the record
what does off the record mean?
Off the record interviews are risky, summarise why
Off the Record is my favourite podcast
"Off the record" means that nobody is quoted.
we spoke off the record
this is not off the record, quote me
I took the needle off the record player
I bought the first pressing of the record
unofficially, the project has run since May
Can we meet off the record on Friday?
For the record: no fever today.
Ist das off the record?
was heißt off the record?
Der Minister sagte off the record, dass die Steuer steigt.
er hat das off the record gesagt
Das Interview war off the record
Off the record heißt, dass niemand zitiert wird
off the record Gespräche sind riskant
Inoffiziell läuft das Projekt seit Mai
Inoffizielle Zahlen: 400 Teilnehmer.
Wir haben uns ohne Protokoll getroffen
ohne Protokoll geht bei uns nichts
schreib das Protokoll: Anna, Kim und Tom waren da
Für das Protokoll: Anna war da.
Nicht das Protokoll vergessen!
das steht nicht im Protokoll
wir haben off the record geredet
¿esto es off the record?
¿qué significa off the record?
El ministro dijo off the record que subirán los impuestos
me lo confirmó off the record
La entrevista fue off the record
off the record significa que no se cita
extraoficialmente el proyecto empezó en mayo
Extraoficialmente, se supo que sube el pan.
El coche está fuera de registro
el disco salió fuera de registro
que conste: hoy no tengo fiebre
que no conste mi nombre en el contrato
Que conste en acta que llegué a tiempo
hablamos off the record con el jefe
Off the Record es mi podcast favorito
这是off the record吗？
off the record是什么意思
部长私下说要加税
老板私下说要裁员
他私下说过这件事
私下说别人坏话不好
私下说的话不能信
他们私下讲好了价钱
不要记录日志，直接返回
非正式的说法是这样
这件事我没有记录
记录一下：今天没发烧
小王在私下里很安静
这个函数不要返回空值
他在关起门来的会上发火
录音笔坏了，别买这个牌子`) {
		assert.False(t, offRecord(Own(s)), s)
	}
}
