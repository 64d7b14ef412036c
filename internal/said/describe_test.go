package said

import (
	"testing"
)

func TestWhatSomebodyIsLikeIsNoName(t *testing.T) {
	assertClaims(t, `
My dad is Peter => I | father | Peter *
My dad is 70 => my father | age | 70 *
My wife is 8 months pregnant =>
My mum is Scottish =>
my wife is called anna => I | spouse | anna *
my wife is allergic to nuts => my spouse | allergic_to | nuts
my husband is obsessed with golf => my spouse | likes | golf
my mom is mad at me =>
my brother is coming over =>
my teacher is mrs hopkins => I | teacher | mrs hopkins *
my boss is called Rich => I | boss | Rich *
My partner is a Virgo =>
My neighbour is Polish and deaf =>
My boss is Rich Smith => I | boss | Rich Smith *
My boss is Karen and works nights => I | boss | Karen * ; my boss | works_hours | nights *
Our cat is called Salt and Pepper => I | cat | Salt and Pepper
Meine Schwester heißt Ana und wohnt in Rom => I | sister | Ana ; my sister | lives_in | Rom *
Mein Chef ist Herr Maurer => I | boss | Herr Maurer *
Mein Chef heißt Maurer => I | boss | Maurer *
Meine Frau ist Sabine Krüger => I | spouse | Sabine Krüger *
Sabine ist meine Frau => I | spouse | Sabine *
Mein Vorgesetzter ist der Kofler => I | boss | Kofler *
Mein Mann ist Maurer =>
Mein Mann ist Vegetarier => my spouse | diet | Vegetarier *
Mein Mann ist 45 => my spouse | age | 45 *
Mein Vermieter ist ein Geizhals =>
Meine Schwester ist die Jüngste =>
Mein Bruder ist Fan von Bayern => my brother | likes | Bayern
Mi jefe es Juan de Dios => I | boss | Juan de Dios *
Mi casero es don Julián => I | landlord | don Julián *
Mi marido es de Sevilla => my spouse | from | Sevilla *
Mi madre es profesora en Huelva => my mother | works_as | profesora en Huelva *
Mi novia es Piscis =>
Mi casera es un amor =>
我女朋友是小雅 => I | partner | 小雅 *
我的房东是张阿姨 => I | landlord | 张阿姨 *
我老公是湖南人 => my spouse | from | 湖南 *
我室友是韩国人 => my flatmate | from | 韩国 *
我老板是处女座 =>
新老板是个工作狂 =>
新老板是李总 => I | boss | 李总 * !
`)
}

func TestStateOfAThingIsNotTheThing(t *testing.T) {
	assertClaims(t, `
my car is a skoda => I | car | skoda *
my car is broken =>
My car is an old Golf => I | car | old Golf *
My car is 12 years old =>
My phone is at 5% =>
my bike is stolen =>
my car is red =>
my rent is due =>
My rent is around 900 => I | rent | around 900 *
my commute is 45 minutes => I | commute | 45 minutes *
my bank is monzo => I | bank | monzo *
my flat is 5 minutes from the station =>
my religion is catholic => I | religion | catholic *
my job is nurse => I | job | nurse *
My role is Product Owner => I | position | Product Owner *
my job is killing me =>
My job is a nightmare =>
mein handy ist ein pixel => I | phone_model | pixel *
mein handy ist leer =>
mein handy ist gleich leer sag schnell wie lang reis kochen muss =>
mein auto ist grad in der werkstatt =>
Ich steh auf der Fußmatte, bei wem klingel ich? =>
Ich steh auf alte Filme => I | likes | alte Filme
mein auto ist geklaut =>
Mein Handy ist bei 3 Prozent =>
Mein Beruf ist Lehrer => I | job | Lehrer *
Meine Wohnung ist ein Saustall =>
Mi coche es un Seat => I | car | Seat *
Mi coche es una ruina =>
mi alquiler es caro =>
mi alquiler es de 700 euros => I | rent | de 700 euros *
Mi trabajo es enfermera => I | job | enfermera *
mi trabajo es muy aburrido =>
我的职业是摄影 => I | works_as | 摄影 *
我的工作是个坑 =>
`)
}

func TestWhenAndAtWhatOneWorksIsNoEmployer(t *testing.T) {
	assertClaims(t, `
I work at 7-Eleven => I | works_at | 7-Eleven *
I work for 24 Hour Fitness => I | works_at | 24 Hour Fitness *
I work for 3M => I | works_at | 3M *
I'm employed by the council => I | works_at | council *
I've been working for 6 hours straight =>
I work at 7 so I need to sleep =>
i work for an hour a day =>
I've been working by the window =>
I work for a living =>
Ich arbeite an der Uni Graz => I | works_at | Uni Graz *
Ich arbeite an einer Grundschule => I | works_at | Grundschule *
Ich arbeite am Flughafen => I | works_at | Flughafen *
Ich arbeite im Büro Huber => I | works_at | Büro Huber *
Ich arbeite gerade an einer Präsentation =>
Ich arbeite am Freitagabend =>
Ich arbeite im Homeoffice =>
Estoy trabajando en Mercadona => I | works_at | Mercadona *
Trabajo en un hospital => I | works_at | hospital *
estoy trabajando en un informe =>
Trabajo en mi tesis =>
我在家乐福上班 => I | works_at | 家乐福 *
我在家工作 =>
我在努力工作 =>
`)
}

func TestHowOneLivesIsNoHome(t *testing.T) {
	assertClaims(t, `
我住浦东 => I | lives_in | 浦东 *
我住三里屯 => I | lives_in | 三里屯 *
我住太原 => I | lives_in | 太原 *
我一个人住在洛阳 => I | lives_in | 洛阳 *
我住得离公司很远 =>
我住六楼没电梯 =>
我一个人住挺孤单的 =>
我住不惯这边 =>
我住习惯了 =>
我住太久了 =>
我跟爸妈住在一起 =>
`)
}

func TestWhatOneLivesOnIsNoHome(t *testing.T) {
	assertClaims(t, `
i live on a farm => I | lives_in | farm *
i live on ashby terrace => I | lives_in | ashby terrace *
ive been living on coffee and stress =>
i live in fear of my boss =>
ich lebe in frieden =>
vivo en paz =>
`)
}

func TestHowWellSomebodyDoesItIsNoOccupation(t *testing.T) {
	assertClaims(t, `
I'm a truck driver => I | works_as | truck driver *
I'm a senior nurse => I | works_as | senior nurse *
I'm a German teacher => I | works_as | German teacher *
I'm a terrible driver => I | is | terrible driver
I'm a keen gardener => I | is | keen gardener
I'm a visual learner =>
I'm a people pleaser =>
I'm an optimist =>
I'm a woman =>
I'm a mother of two => I | has_family | mother
I'm a stay-at-home mom => I | works_as | stay-at-home mom *
Ich bin Köchin => I | works_as | Köchin *
ich bin eine gute Köchin => I | is | gute Köchin
Ich bin Busfahrer => I | works_as | Busfahrer *
ich bin ein schlechter Autofahrer =>
Ich bin Optimistin =>
Soy conductor de autobús => I | works_as | conductor de autobús *
Soy un conductor pésimo => I | is | conductor pésimo
Soy optimista =>
我是司机 => I | works_as | 司机 *
我是公司的司机 => I | works_as | 公司的司机 *
我是一个好司机 => I | is | 好司机
我是个糟糕的司机 => I | is | 糟糕的司机
我是女生 =>
`)
}

func TestWhatIsLostOrNotAtHandIsNotEnded(t *testing.T) {
	assertClaims(t, `
I lost my phone =>
I crashed my car =>
I don't have my laptop so I can't check =>
I don't have my laptop any more => I | laptop |  ~ !
I don't have a car => I | car |  ~
I sold my phone => I | phone_model |  ~ !
I lost my job => I | works_at |  ~ !
Ich habe kein Handy dabei =>
Vendí el móvil => I | phone_model |  ~ !
No tengo teléfono => I | phone_model |  ~
我把手机弄丢了 =>
我把手机卖了 => I | phone_model |  ~ !
`)
}
