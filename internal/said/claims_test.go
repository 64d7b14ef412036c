package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// claimCases are sentences and what they claim: "subject | predicate | object",
// several separated by ";", with marks behind the object: ! for a change, ~ for
// a denial, <X for what ended, * for a functional predicate. Nothing behind the
// arrow: no claim.
const claimCases = `
# English
My name is on the waiting list for the allotment.
My husband is called out to a landslip at Garforth.
My husband is called Callum. => I | spouse | Callum *
My car is at the garage.
I work at a snail's pace.
I was hired by Initech straight out of college.
I was hired by Initech. => I | works_at | Initech * !
I work as a volunteer firefighter, too. => I | works_as | volunteer firefighter
Direkt nach dem Studium habe ich bei Miele angefangen.
Nada más terminar la carrera empecé en Repsol.
我一毕业就入职华为。
I work at the weekend.
I work at the Otley branch on Fridays. => I | works_at | Otley branch on Fridays
I drive a van on Saturdays. => I | car | van on Saturdays
I don't drive at night.
I'm not vegetarian on holiday.
I don't like coffee after six. => I | dislikes | coffee after six
Our neighbour is called Jo. => I | neighbour | Jo
I live in Tromsø. => I | lives_in | Tromsø *
We live on a farm near Voss => I | lives_in | farm near Voss *
I've just moved to Ghent! => I | lives_in | Ghent * !
We moved from Cork to Galway last year => I | lives_in | Galway * ! <Cork
our new place is in Aarhus => I | lives_in | Aarhus * !
I don't live in Leeds any more. => I | lives_in | Leeds ~ !
I work at the post office as a clerk. => I | works_at | post office *
I work for Maersk. => I | works_at | Maersk *
I'm a midwife by training => 
Convert 98.6 Fahrenheit to Celsius.
My phone is now a Fairphone. => I | phone_model | Fairphone * !
I have a severe allergy to cashews. => I | allergic_to | cashews
I left the Y and am now a member at Ironworks. => I | member_of | Ironworks * ! <Y
My new phone is a Pixel 4. => I | phone_model | Pixel 4 * !
I'm a plumber. => I | works_as | plumber *
I left Nokia and joined Vestas. => I | works_at | Vestas * ! <Nokia
I retired in May. => I | works_as | retired * !
My doc up and retired on me. => 
I drive a Volvo. => I | car | Volvo *
sold the caravan => I | owns | caravan ~ !
We sold the bike. => I | bike |  ~ !
My new phone number is 555 0199. => I | phone_number | 555 0199 * !
fasting 7.0, BP 130/80, weight 85.1 => I | weight | 85.1 *
Weight 88.6 kg => I | weight | 88.6 kg *
weight: 84,2 kg => I | weight | 84,2 kg *
My parcel arrived, weight 40 kg
Weight 500 g of flour
Weight limit 120 kg
Target: weight 82
Bodyweight squats 40
Declan's weight 95
the dog's weight is 30 kg
Luna was at the vet. Weight 12.4 kg.
Dad at the doctor. Weight 78.2. BP 150/90.
Packed my bag for Lisbon. Weight 23 kg.
Squats. Weight 100 kg.
Koffer gepackt. Gewicht 63 kg.
Sentadillas. Peso 100 kg.
硬拉。体重 85
Weight 350
Weight 23 kg
Weight 191 lbs => I | weight | 191 lbs *
Weight 86.9. BP 130/80. => I | weight | 86.9 *
Gewicht: 86,9 kg, Puls 70 => I | weight | 86,9 kg *
Weight 3
Weight Watchers 90
My blood type is A negative. => I | blood_type | A negative *
My sister is called Ottilie. => I | sister | Ottilie
My sister lives in Porto. => my sister | lives_in | Porto *
My boss is Henrik. => I | boss | Henrik *
My boss is strict. =>
my husband is vegan => my spouse | diet | vegan *
my boss is priya => I | boss | priya *
Explain volcanoes briefly, but so that I get it. =>
I'm a blood donor. =>
I'm an early riser. =>
I'm a senior nurse. => I | works_as | senior nurse *
My boss hates meetings. => my boss | dislikes | meetings
Henrik is my new boss. => I | boss | Henrik * !
my landlord's name is Mr. Osei => I | landlord | Mr. Osei *
We changed dentists, it's Dr. Vega now. => I | dentist | Dr. Vega * !
I have three cousins. => I | has_family | cousins
Our cat is called Miso. => I | cat | Miso
I have a parrot named Kiki => I | parrot | Kiki
I'm allergic to penicillin. => I | allergic_to | penicillin
I have a severe nut allergy. => I | allergic_to | nut
I can't eat shellfish. => I | cannot_eat | shellfish
I don't eat pork. => I | cannot_eat | pork
I don't eat pork any more. => I | cannot_eat | pork !
I'm vegan, what could I bake for the party? => I | diet | vegan *
I'm no longer vegan. => I | diet | vegan ~ !
I have asthma. => I | has_condition | asthma
I speak Welsh and Dutch. => I | speaks | Welsh and Dutch
I'm learning Hindi. => I | learns | Hindi
I'm a member of the alpine club. => I | member_of | alpine club
I have choir practice on Mondays. => choir | schedule | Mondays
Choir has moved to Wednesdays. => choir | schedule | Wednesdays * !
My wedding is on 3 October. => I | wedding | 3 October *
My birthday is on the 9th of June. => I | birthday | 9th of June *
My favourite colour is teal. => I | favourite_colour | teal *
These days I prefer cycling over driving. => I | prefers | cycling ! <driving
I love sourdough bread. => I | likes | sourdough bread
I don't like olives. => I | dislikes | olives
I hate horror films => I | dislikes | horror films
I'm a big fan of opera. => I | likes | opera
I play the cello. => I | play | cello
Every Sunday I call my parents. => I | call | my parents
I usually swim in the evenings. => I | swim | in the evenings
I'm 41 years old. => I | age | 41 *
My name is Ingrid. => I | name | Ingrid *
I grew up in Kenya. => I | grew_up_in | Kenya *
Help me word a note to Pete, about the roundabout, keep it honest. =>
From now on, when I ask you to help me write, keep it short. => I | should | keep it short !
please answer briefly => I | answer_style | briefly *
Please keep your answers under five lines, I read on my watch. => I | answer_style | five lines *
Always use metric units. => I | units | metric *
Never use emojis. => I | emojis | Never use emojis *
Call me Bo. => I | name | Bo *
From now on, reply in French. => I | answer_language | French * !
My car is a Fiat, not a Ford. => I | car | Fiat * ! <Ford
her name is Nora, not Noor => she | name | Nora * ! <Noor
I switched from Spotify to Tidal. => I | uses | Tidal * ! <Spotify
My bike is not red but blue. => 
I live in Oslo and work at Equinor. => I | lives_in | Oslo * ; I | works_at | Equinor *
My mum is called Berit. She lives in Bodø. => I | mother | Berit * ; my mother | lives_in | Bodø *
I love that!
I like your idea.
I like the idea
I'm so tired today.
Do you live in Oslo?
Where do I live?
If I lived in Rome I'd be happier.
I would love to live in Rome.
I might move to Spain next year.
I'm thinking of becoming a vegan.
I used to live in Rome.
I wish I had a dog.
She said: I live in Oslo.
He told me, I'm a doctor.
"I live in Oslo" is a sentence in the textbook.
> I live in Oslo
He wrote on the form: I'm allergic to nuts
Imagine I live on the moon.
In my novel the hero says that I live in Oslo.
Yeah right, I love waiting in line.
Just kidding, I'm a millionaire.
You are allergic to nuts.
They live in Bergen.
Proofread this: I live in Oslo and I am allergic to nuts.
My car is broken.
My boss is nice.
I went to the dentist yesterday.
I moved the table to the kitchen.
Maybe I'm allergic to cats.
I think I'm allergic to cats.
It's hard not to like it.
I'm going to buy a car.
Good to hear that!
I was tired and hungry.
bisoprolol 2.5 in the morning => I | bisoprolol_dose | 2.5 *
I now take 10 mg of ramipril. => I | ramipril_dose | 10 * !
They've cut my metformin to 500. => I | metformin_dose | 500 * !
they have taken me off ramipril => I | ramipril_dose |  ~ !
my mum takes amlodipine 5 mg => my mother | amlodipine_dose | 5 *
ramipril 3 times a day =>
I take losartan 50 mg every morning => I | losartan_dose | 50 *
Metformin goes up to 1000 twice daily. => I | metformin_dose | 1000 *
Losartan was raised to 100 mg. => I | losartan_dose | 100 * !
Ramipril was raised from 5 to 10 mg. => I | ramipril_dose | 10 * ! <5
They put me on ramipril 2.5. => I | ramipril_dose | 2.5 * !
Halloran says ramipril 5 from now on. => I | ramipril_dose | 5 * !
My cardiologist says ramipril 10 mg from today. => I | ramipril_dose | 10 * !
Saw my doctor. Ramipril 10 mg from now on. => I | ramipril_dose | 10 * !
Metformin 1000 is giving me terrible runs. =>
Ramipril 5 is making me cough all night. =>
Ramipril was invented 50 years ago. =>
Metformin goes well with 2 glasses of water. =>
Google says metformin 500 twice a day. =>
Tom says I'm allergic to nuts. =>
My sister says ramipril 5 is plenty. =>
Visited Dad in Galway. He's got a new pill, candesartan 16, and is delighted. =>
Dad was discharged. Candesartan 16 now, and a stick. =>
Nuala's fella was at the doctor. Metformin 500 for him, the poor thing. =>
My dog is at the vet. Gabapentin 100 twice a day. =>
My mam is in hospital. Allergic to the morphine, she was raving. =>
My brother was here. I'm allergic to latex. => I | allergic_to | latex
My son has an inhaler. My ramipril is at 10 mg. => I | ramipril_dose | 10 *
Pemberton says stop the topiramate straight away. => I | topiramate_dose |  ~
My doctor says to stop the naproxen. => I | naproxen_dose |  ~
Stop the naproxen, says Pemberton => I | naproxen_dose |  ~
Ramipril is stopped because of the cough. => I | ramipril_dose |  ~
no more sumatriptan => I | sumatriptan_dose |  ~
No more sumatriptan than two a week. =>
Ramipril is stopped until Friday. =>
If it stays high, ramipril goes up to 10 mg. =>
I could taper and stop the ramipril. =>
They wanted to put me on ramipril 5, I said no. =>
Stop the metformin for two days before the scan. =>
Stop the naproxen reminders. =>
Should I stop the ramipril? =>
My brother should stop the ramipril. =>
I take the bus every morning. => I | takes | bus
I drive a bus => I | drives | bus
I drive a school bus in Leeds. => I | drives | school bus in Leeds
I drive a VW bus. => I | car | VW bus *
Der Wiesner sagt das Amlodipin soll ich weglassen => I | amlodipin_dose |  ~
Das Ramipril hab ich abgesetzt. => I | ramipril_dose |  ~ !
Ich nehme kein Ramipril mehr. => I | ramipril_dose |  ~ !
Soll ich das Ramipril weglassen? =>
Papa war beim Arzt. Metformin wurde auf 1000 mg erhöht. =>
Ich fahre einen Linienbus. => I | drives | Linienbus
ich bin gegen Nüsse allergisch das weiß der Doktor => I | allergic_to | Nüsse
Ich bin gegen Atomkraft. =>
Tomo ramipril 5 mg. => I | ramipril_dose | 5 *
El médico me ha subido el ramipril a 10 mg. => I | ramipril_dose | 10 * !
He dejado el ramipril. => I | ramipril_dose |  ~ !
Mi padre está malo. El ramipril sube a 10 mg. =>
医生说缬沙坦加到160毫克。 => 缬沙坦 | dose | 160毫克 * !
我妈住院了。缬沙坦加到160毫克。 =>
我妈住院了。青霉素过敏。 =>
I take 2 tablets of metformin. =>
the fridge code is 9026 from today => I | fridge_code | 9026 * !
the code for the bike shed is 7731 => I | bike_shed_code | 7731 *
The door code is 4 digits long. =>
wifi is banana77 => I | wifi_password | banana77 *
the new wifi is blue7fox all small letters => I | wifi_password | blue7fox *
The wifi is slow today. =>
I pay 45 a month for the gym. => I | gym_price | 45 *
the gym costs me 38 a month now => I | gym_price | 38 * !
the bin is fridays now => bin | schedule | fridays * !
black bin goes out tuesdays => black bin | schedule | tuesdays *
darts has gone to thursdays => darts | schedule | thursdays * !
packed golf in => golf | schedule |  ~ !
I've given up bread. => I | cannot_eat | bread !
I gave up my job. => I | works_at |  ~ !
my sister has given up bowls =>
I'm a widower. => I | marital_status | widower *
I switched my bank to Monzo. => I | bank | Monzo * !
my eldest daughter lives in Derby and works with wood => my daughter | lives_in | Derby *
# German
Gewicht 86,9 kg => I | weight | 86,9 kg *
Zucker 6,5, Gewicht 85,4 => I | weight | 85,4 *
Das Paket kam, Gewicht 40 kg
Ich mag Kaffee nicht, wenn es spät ist.
Ich mag keinen Kaffee bevor ich schlafe. => I | dislikes | Kaffee bevor ich schlafe
Ich arbeite bei Regen am Montag im Büro. => I | works_at | Regen am Montag im Büro
Mein Name ist auf der Warteliste für den Garten.
Unser Nachbar heißt Huber. => I | neighbour | Huber
Ich wohne in Bregenz. => I | lives_in | Bregenz *
Wir wohnen seit zwei Jahren in Krems. => I | lives_in | Krems *
Seit Mai wohne ich in Steyr. => I | lives_in | Steyr *
Ich bin nach Villach gezogen. => I | lives_in | Villach * !
Wir sind von Köln nach Mainz gezogen => I | lives_in | Mainz * ! <Köln
Ich wohne nicht mehr in Ulm. => I | lives_in | Ulm ~ !
Ich arbeite bei der Post. => I | works_at | Post *
Ich arbeite als Tischler. => I | works_as | Tischler *
Ich bin Hebamme. => I | works_as | Hebamme *
Ich habe bei Bosch gekündigt und arbeite jetzt bei Miele. => I | works_at | Miele * ! <Bosch
Ich bin in Rente. => I | works_as | in Rente *
Ich fahre einen Opel. => I | car | Opel *
Wir haben das Auto verkauft. => I | car |  ~ !
Mein neues Kennzeichen ist W 4711 X. => I | number_plate | W 4711 X * !
Meine Schwester heißt Liesl. => I | sister | Liesl
Meine Schwester wohnt in Basel. => my sister | lives_in | Basel *
mein chef ist streng =>
mein chef ist markus => I | boss | markus *
Erklär mir kurz Vulkane aber so dass man es versteht =>
Ich bin Blutspender. =>
Mein Chef heißt Gruber. => I | boss | Gruber *
Mein Hausarzt ist Dr. Moser. => I | doctor | Dr. Moser *
Frau Eder ist meine neue Vermieterin. => I | landlord | Frau Eder * !
Ich habe den Zahnarzt gewechselt, jetzt Dr. Pichler. => I | dentist | Dr. Pichler * !
Ich habe zwei Brüder. => I | has_family | Brüder
Ich habe einen Hund namens Waldi. => I | dog | Waldi
Unsere Katze heißt Mimi. => I | cat | Mimi
mama wohnt allein in Goslar => my mother | lives_in | Goslar *
Papa ist letzten Monat nach Celle gezogen. => my father | lives_in | Celle * !
meine chefin ist markus, mag ich => I | boss | markus *
Ich bin allergisch gegen Haselnüsse. => I | allergic_to | Haselnüsse
Gegen Penicillin bin ich allergisch. => I | allergic_to | Penicillin
Ich esse kein Schweinefleisch. => I | cannot_eat | Schweinefleisch
Ich esse seit Ostern kein Fleisch mehr. => I | cannot_eat | Fleisch !
Meine neue Stelle: ich arbeite in der Kanzlei Roth. => I | works_at | Kanzlei Roth *
Ich arbeite 30 Stunden die Woche. => I | working_hours | 30 *
Der Code für den Keller ist 4410. => I | keller_code | 4410 *
Laktose vertrage ich nicht. => I | cannot_eat | Laktose
Ich bin Veganerin, was soll ich backen? => I | diet | Veganerin *
Ich bin nicht mehr vegan. => I | diet | vegan ~ !
Ich habe Asthma. => I | has_condition | Asthma
Ich spreche Ungarisch und Deutsch. => I | speaks | Ungarisch und Deutsch
Ich lerne Spanisch. => I | learns | Spanisch
Ich bin Mitglied im Alpenverein. => I | member_of | Alpenverein
Montags habe ich Chor. => choir | schedule | Montags
Chor ist jetzt mittwochs. => choir | schedule | mittwochs * !
Meine Hochzeit ist am 3. Oktober. => I | wedding | 3. Oktober *
Mein Geburtstag ist am 9. Juni. => I | birthday | 9. Juni *
Meine Lieblingsfarbe ist Türkis. => I | favourite_colour | Türkis *
Ich trinke inzwischen lieber Tee als Kaffee. => I | prefers | Tee ! <Kaffee
Ich mag Sauerteigbrot. => I | likes | Sauerteigbrot
Ich mag keine Oliven. => I | dislikes | Oliven
Ich hasse Horrorfilme. => I | dislikes | Horrorfilme
Am liebsten lese ich Krimis. => I | likes | Krimis
Ich spiele Cello. => I | play | Cello
Ich jogge jeden Morgen. => 
Ich bin 41 Jahre alt. => I | age | 41 *
Ich heiße Ingrid. => I | name | Ingrid *
Ich komme aus Tirol. => I | from | Tirol *
Erklär mir in zwei Sätzen, was ein Algorithmus ist. =>
Bitte antworte kurz. => I | answer_style | kurz *
Antworte immer auf Deutsch. => I | answer_language | Deutsch *
Verwende metrische Einheiten. => I | units | metrische *
Bitte keine Emojis. => I | emojis | Bitte keine Emojis *
Nenn mich Bo. => I | name | Bo *
Meine Frau heißt Anna, nicht Anne. => I | spouse | Anna * ! <Anne
Ich bin von Vim auf Helix umgestiegen. => I | uses | Helix * ! <Vim
Mein Sohn ist Lehrer. => my son | works_as | Lehrer *
Ich liebe das!
Deine Idee gefällt mir.
Ich bin heute so müde.
Wohnst du in Wien?
Wo wohne ich?
Wenn ich in Rom wohnen würde, wäre ich glücklich.
Ich würde gern in Rom wohnen.
Vielleicht ziehe ich nach Linz.
Früher habe ich in Rom gewohnt.
Ich hätte gern einen Hund.
Er schrieb: ich wohne in Wien.
„Ich wohne in Wien“ steht im Lehrbuch.
> Ich wohne in Wien
Stell dir vor, ich wohne am Mond.
Nur Spaß, ich bin Millionär.
Du bist allergisch gegen Nüsse.
Übersetze das: Ich wohne in Wien und bin Lehrer.
Mein Auto ist kaputt.
Mein Chef ist nett.
Ich glaube, ich bin gegen Katzen allergisch.
Ich will ein Auto kaufen.
Das mag ich.
# Spanish
Peso 86,9 kg => I | weight | 86,9 kg *
Llegó el paquete, peso 40 kg
No me gusta el café cuando hace calor. => I | dislikes | café cuando hace calor
Trabajo en la oficina de Getafe los viernes. => I | works_at | oficina de Getafe los viernes
Nuestro vecino se llama Paco. => I | neighbour | Paco
Vivo en Cádiz. => I | lives_in | Cádiz *
Vivimos en un pueblo cerca de Lugo. => 
Nos hemos mudado a Vigo. => I | lives_in | Vigo * !
Me mudé de León a Soria. => I | lives_in | Soria * ! <León
Ya no vivo en Cádiz. => I | lives_in | Cádiz ~ !
Trabajo en Correos. => I | works_at | Correos *
Trabajo como fontanero. => I | works_as | fontanero *
Soy enfermera. => I | works_as | enfermera *
Dejé Repsol y ahora trabajo en Iberdrola. => I | works_at | Iberdrola * ! <Repsol
Estoy jubilado. => I | works_as | jubilado *
Conduzco un Seat. => I | car | Seat *
Vendimos el coche. => I | car |  ~ !
Mi nueva matrícula es 4711 KLM. => I | number_plate | 4711 KLM * !
Mi hermana se llama Lola. => I | sister | Lola
Mi hermana vive en Oporto. => my sister | lives_in | Oporto *
mi jefa es muy pesada =>
mi jefa es laura => I | boss | laura *
Explícame los volcanes claramente =>
Soy donante de sangre. =>
Mi jefe se llama Íñigo. => I | boss | Íñigo *
Mi dentista es la doctora Vega. => I | dentist | doctora Vega *
He cambiado de dentista, ahora es el doctor Ruiz. => I | dentist | doctor Ruiz * !
Tengo tres primos. => I | has_family | primos
Tengo un perro llamado Coco. => I | dog | Coco
Nuestra gata se llama Luna. => I | cat | Luna
Soy alérgico a la penicilina. => I | allergic_to | penicilina
Tengo alergia al marisco. => I | allergic_to | marisco
No puedo comer gluten. => I | cannot_eat | gluten
No como cerdo. => I | cannot_eat | cerdo
Soy vegana, ¿qué puedo cocinar hoy? => I | diet | vegana *
Ya no soy vegano. => I | diet | vegano ~ !
Tengo asma. => I | has_condition | asma
Hablo catalán y francés. => I | speaks | catalán y francés
Estoy aprendiendo alemán. => I | learns | alemán
Soy socia del club de tenis. => I | member_of | club de tenis
Tengo coro los lunes. => choir | schedule | lunes
El coro pasó a los miércoles. => choir | schedule | miércoles * !
los ensayos han pasado a los viernes => band practice | schedule | viernes * !
El judo lo hago los jueves. => judo | schedule | jueves
La asamblea de vecinos es cada martes. => asamblea de vecinos | schedule | martes *
El reparto pasa a los lunes. => reparto | schedule | lunes * !
El tren pasa a las ocho. =>
Los bares son ruidosos los sábados. =>
no, perdón, jueves, no viernes => it | it | jueves * ! <viernes
jueves, no viernes =>
no, hoy no puedo, no insistas =>
Mi boda es el 3 de octubre. => I | wedding | 3 de octubre *
Mi cumpleaños es el 9 de junio. => I | birthday | 9 de junio *
Mi color favorito es el turquesa. => I | favourite_colour | turquesa *
Ahora prefiero el té al café. => I | prefers | té ! <café
Me encanta el pan de masa madre. => I | likes | pan de masa madre
No me gustan las aceitunas. => I | dislikes | aceitunas
Odio las películas de terror. => I | dislikes | películas de terror
Prefiero el tren. => I | prefers | tren
Toco el violonchelo. => I | play | violonchelo
Tengo 41 años. => I | age | 41 *
Me llamo Inés. => I | name | Inés *
Soy de Galicia. => I | from | Galicia *
Sé breve, por favor. => I | answer_style | breve *
Responde en menos de cinco líneas. => I | answer_style | cinco líneas *
Responde siempre en español. => I | answer_language | español *
Usa el sistema métrico. => I | units | métrico *
No uses emojis. => I | emojis | No uses emojis *
Dime un sinónimo de 'torpe', es para una invitación =>
Dime Paco. => I | name | Paco *
Llámame Bo. => I | name | Bo *
Me he cambiado de Movistar a Orange. => I | uses | Orange * ! <Movistar
Mi grupo es Marea Coral. => I | band | Marea Coral *
Mi hijo es profesor. => my son | works_as | profesor *
Trabajo de cocinera. => I | works_as | cocinera *
Trabajo de noche lunes, miércoles y viernes. => I | trabajo | de noche lunes, miércoles y viernes
Trabajo de lunes a viernes. => I | trabajo | de lunes a viernes
Mi chica se llama Nuria, es anestesista. => I | chica | Nuria *
Vivo en Cádiz y trabajo en Correos. => I | lives_in | Cádiz * ; I | works_at | Correos *
¡Me encanta eso!
Me gusta tu idea.
Hoy estoy muy cansado.
¿Vives en Madrid?
¿Dónde vivo?
Si viviera en Roma sería feliz.
Me gustaría vivir en Roma.
Quizás me mude a Vigo.
Antes vivía en Roma.
Ojalá tuviera un perro.
Él escribió: vivo en Madrid.
«Vivo en Madrid» dice el libro.
> Vivo en Madrid
Imagina que vivo en la luna.
Es broma, soy millonario.
Eres alérgico a las nueces.
Traduce esto: Vivo en Madrid y soy profesor.
Mi coche está roto.
Mi jefe es simpático.
Creo que soy alérgico a los gatos.
Trabajó en Correos.
Dicen que vivo bien.
# Chinese
体重86.9公斤 => I | weight | 86.9公斤 *
行李体重20
我朋友小李在华为工作。 => my friend | works_at | 华为 *
我周四在家工作。
我邻居叫王强。 => I | neighbour | 王强
我住在成都。 => I | lives_in | 成都 *
我们搬到南京了。 => I | lives_in | 南京 * !
我从北京搬到了深圳。 => I | lives_in | 深圳 * ! <北京
我不住在北京了。 => I | lives_in | 北京 ~ !
我在邮局上班。 => I | works_at | 邮局 *
我是程序员。 => I | works_as | 程序员 *
我从华为跳槽到腾讯了。 => I | works_at | 腾讯 * ! <华为
我退休了。 => I | works_as | 退休 *
我开的是一辆大众。 => I | car | 大众 *
我把车卖了。 => I | car |  ~ !
我的新车牌是沪B98765。 => I | number_plate | 沪B98765 * !
我妹妹叫小雪。 => I | sister | 小雪
我妹妹住在苏州。 => my sister | lives_in | 苏州 *
我老公是色盲 => my spouse | has_condition | 色盲
我对象是干啥的，人在哪 =>
我老板叫王强。 => I | boss | 王强 *
我的牙医是陈医生。 => I | dentist | 陈医生 *
我换了牙医，现在是周医生。 => I | dentist | 周医生 * !
我有两个哥哥。 => I | has_family | 哥哥
我家的猫叫米粒。 => I | cat | 米粒
我们又养了一只猫,叫豆豆。 => I | cat | 豆豆
我13号去上海,住虹桥的漫心酒店。
我女儿六岁。 => my daughter | age | 六 *
给你看不了照片,只能形容:我家橘猫阿布,四岁,十四斤 => my cat | age | 四 *
我养了一只狗叫豆豆。 => I | dog | 豆豆
我对青霉素过敏。 => I | allergic_to | 青霉素
我不能吃海鲜。 => I | cannot_eat | 海鲜
我不吃猪肉。 => I | cannot_eat | 猪肉
我吃素，晚饭可以做什么？ => I | diet | 吃素 *
我有哮喘。 => I | has_condition | 哮喘
我会说日语和韩语。 => I | speaks | 日语和韩语
我在学西班牙语。 => I | learns | 西班牙语
我是登山协会的会员。 => I | member_of | 登山协会
我每周一有钢琴课。 => piano lesson | schedule | 周一
钢琴课改到周三了。 => piano lesson | schedule | 周三 * !
我的生日是六月九日。 => I | birthday | 六月九日 *
我最喜欢的颜色是绿色。 => I | favourite_colour | 绿色 *
比起咖啡，我更喜欢茶。 => I | prefers | 茶 <咖啡
我喜欢爬山。 => I | likes | 爬山
我不喜欢榴莲。 => I | dislikes | 榴莲
我讨厌恐怖片。 => I | dislikes | 恐怖片
我今年41岁。 => I | age | 41 *
我叫李雷。 => I | name | 李雷 *
我老家是山东的。 => I | from | 山东 *
请简短回答。 => I | answer_style | 简短 *
请用中文回答。 => I | answer_language | 中文 *
请用公制单位。 => I | units | 公制单位 *
别用表情符号。 => I | emojis | 别用表情符号 *
以后叫我阿波就行。 => I | name | 阿波 * !
我對花生過敏。 => I | allergic_to | 花生
我媽媽住在高雄。 => my mother | lives_in | 高雄 *
我換了手機號，現在是0912345678。 => I | phone_number | 0912345678 * !
我儿子是老师。 => my son | works_as | 老师 *
我住在成都，在邮局上班。 => I | lives_in | 成都 * ; I | works_at | 邮局 *
我每天早上跑步。 => I | does | 跑步
我把微信换成了钉钉。 => I | owns | 钉钉 ! <微信
我的电话是13800001111。 => I | phone_number | 13800001111 *
我喜欢这个！
我喜欢你的想法。
我今天好累。
你住在北京吗？
我住在哪里？
如果我住在罗马就好了。
我想去罗马住。
我可能会搬到上海。
我以前住在罗马。
我希望有一只狗。
他说我住在北京。
“我住在北京”是课本里的句子。
> 我住在北京
假设我住在月球上。
开玩笑的，我是百万富翁。
你对花生过敏。
翻译一下：我住在北京，我是老师。
我的车坏了。
我老板人很好。
我觉得我对猫过敏。
我打算买车。
听说我们要搬家了。
搬家了 现在住在燕郊 房租便宜 => I | lives_in | 燕郊 * !
我们家住在通州 楼下有地铁 => I | lives_in | 通州 *
我在 Google 上班 挺远的 => I | works_at | Google *
我爸来了 现在住酒店
朋友买房了 搬到顺义去了
店搬到朝阳门了
我妈一个人住在洛阳 身体还行 => my mother | lives_in | 洛阳 *
老公跳槽了 现在在美团 => my spouse | works_at | 美团 * !
妈换了个手机号 138 2233 4455 => my mother | phone_number | 138 2233 4455 * !
乐乐转园了 去了红黄蓝 => 乐乐 | studies_at | 红黄蓝 * !
糖糖在实验小学读五年级 => 糖糖 | studies_at | 实验小学 *
阿芳住在望京 => 阿芳 | lives_in | 望京 *
人人都喜欢钱
小区停水了
乐乐芒果过敏 => 乐乐 | allergic_to | 芒果
宝宝对牛奶过敏 => my child | allergic_to | 牛奶
房东是王阿姨 人不错 => I | landlord | 王阿姨 *
房东是个姓许的大爷 => I | landlord | 许 *
班主任姓郑 教英语 => I | class_teacher | 郑 *
公司有个助理叫小丁 很能干 => I | assistant | 小丁 *
新来的助理叫阿美 => I | assistant | 阿美 * !
他老婆是老师
房租一个月4200 押一付三 => I | rent | 4200 *
房租涨到4600了 气死 => I | rent | 4600 * !
房租涨了300
房租一个月一千九 => I | rent | 一千九 *
我每个月房租5200元 => I | rent | 5200元 *
我老板是周凯 => I | boss | 周凯 *
我每周只有星期四休息 => I | day_off | 星期四 *
牙医改成赵医生了 => I | dentist | 赵医生 * !
保险柜的密码是339912 => I | 保险柜_password | 339912 *
电话打了3个小时
我每天早上吃缬沙坦80毫克 => 缬沙坦 | dose | 80毫克 *
缬沙坦减到40毫克 => 缬沙坦 | dose | 40毫克 * !
我吃饭前喝了200毫升水
我们店周三休息 => I | day_off | 周三 *
下周开始改成周四休息 => I | day_off | 周四 * !
这周三休息 去爬山
剪视频我一直用剪映 顺手 => I | 剪视频 | 剪映 *
剪视频改用达芬奇了 免费的 => I | 剪视频 | 达芬奇 * !
今天晚饭改成火锅了
旧电脑卖了 卖了八百 => I | owns | 旧电脑 ~ !
客户把照片卖了
在超级猩猩办了年卡 => I | member_of | 超级猩猩
早上改喝豆浆了 => I | uses | 豆浆 !
我又开始吃海鲜了 => I | eats | 海鲜 !
游泳课调时间了 现在是周五下午 => swimming | schedule | 周五下午 * !
`

// mark writes a claim as the cases do.
func mark(c Claim) string {
	s := c.Subject + " | " + c.Predicate + " | " + c.Object
	if c.Functional && !c.Denied {
		s += " *"
	}
	if c.Denied {
		s += " ~"
	}
	if c.Change {
		s += " !"
	}
	if c.Ended != "" {
		s += " <" + c.Ended
	}
	return s
}

func TestClaims(t *testing.T) {
	language := ""
	count := make(map[string]int)
	for line := range strings.Lines(claimCases) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			language = rest
			continue
		}
		count[language]++
		text, want, _ := strings.Cut(line, "=>")
		text = strings.TrimSpace(text)
		var got []string
		for _, c := range Claims(text, 0) {
			got = append(got, mark(c))
			if !strings.Contains(text, c.Sentence) {
				t.Errorf("%s: sentence %q is not of the text", text, c.Sentence)
			}
		}
		var wants []string
		for _, w := range strings.Split(want, ";") {
			if w = strings.TrimSpace(w); w != "" {
				wants = append(wants, w)
			}
		}
		if strings.Join(got, " ; ") != strings.Join(wants, " ; ") {
			t.Errorf("%s: %s\n got %s\nwant %s", language, text, strings.Join(got, " ; "), strings.Join(wants, " ; "))
		}
	}
	for _, l := range []string{"English", "German", "Spanish", "Chinese"} {
		if count[l] < 60 {
			t.Errorf("%s: %d cases, want 60", l, count[l])
		}
	}
}

func TestNamesInPassing(t *testing.T) {
	assertClaims(t, `
My boss Gail Strombeck just walked by and saw me on my phone. => I | boss | Gail Strombeck *
I went to the lake with my sister Noor and my dog Biscuit. => I | sister | Noor ; I | dog | Biscuit
my new boss Ted Kozak starts on Monday => I | boss | Ted Kozak * !
I have to ring Dr. Ferruz, my dentist, about the filling. => I | dentist | Dr. Ferruz *
tengo que llamar a Ferruz, mi dentista, que se me ha saltado un empaste => I | dentist | Ferruz *
Gestern hat mein Chef Thomas Müller gekündigt. => I | boss | Thomas Müller *
Ask my mom Monday about it.
Yesterday, my boss, who is mean, shouted at us.
weil mein Bruder Hunger hat
I took a photo of my sister Noor Photography Studio.
my husband OK'd the plan
We posted it in our family WeChat group.
Imagine my sister Noor were here.
Is my sister Noor home?
Had lunch with my colleague Rob.
`)
}

func TestKnownNames(t *testing.T) {
	known := []Person{
		{"cousin", "Hattie", "My cousin Hattie is here."}, {"brother", "Markus", "Mein Bruder heißt Markus."}, {"dog", "旺财", "我家狗叫旺财。"},
		{"son", "Hugo", "Mi hijo se llama Hugo."}, {"boss", "Gail Strombeck", "My boss is Gail Strombeck."}, {"aunt", "Will", "My aunt is called Will."},
	}
	for _, line := range strings.Split(`
Hattie moved to Leeds. => my cousin | lives_in | Leeds * !
Hattie's a nurse now. => my cousin | works_as | nurse * !
Turns out Hattie moved to Leeds. => my cousin | lives_in | Leeds * !
Jetzt wohnt Markus in Graz. => my brother | lives_in | Graz * !
Im Mai ist Markus nach Graz gezogen. => my brother | lives_in | Graz * !
Hugo ya no vive en Londres. => my son | lives_in | Londres ~ !
旺财死了 => I | dog | 旺财 ~ !
Gail works at Boots now. => my boss | works_at | Boots * !
Hattie, my cousin, moved to Leeds. => my cousin | lives_in | Leeds * !
Hattie's car is red.
Hattie's mother is in Mullingar, she is 79 and she plays bridge.
My sister's boss is nice, he works at Boots.
My sister's name is Noor, she lives in Rome. => I | sister | Noor ; my sister | lives_in | Rome *
Hattie Smith moved to Leeds.
"Hattie moved to Leeds" is the first line of it.
Will moved to Leeds.
ist Markus nach Graz gezogen?
Hattie moved out.
`, "\n") {
		message, want, _ := strings.Cut(line, " => ")
		var got []string
		for _, c := range Claims(message, 0, known...) {
			got = append(got, mark(c))
		}
		assert.Equal(t, want, strings.Join(got, " ; "), message)
	}
}

func TestSpanishPluralWithoutSubject(t *testing.T) {
	for text, want := range map[string]string{
		"Vivimos en Cadrete desde marzo.":                          "I | lives_in | Cadrete *",
		"Vivimos en un tercero sin ascensor en la calle Torrijos.": "I | lives_in | Torrijos *",
		"Ya trabajamos en Airbus":                                  "I | works_at | Airbus *",
	} {
		claims := Claims(text, 0)
		if assert.Len(t, claims, 1, text) {
			assert.Equal(t, want, mark(claims[0]), text)
		}
	}
}
