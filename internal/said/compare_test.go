package said

import (
	"strings"
	"testing"
)

// compareCases are an earlier and a later sentence of one person, and how the
// later stands to the earlier. "A:" and "U:" tell the wording of an agent
// ("Ada lives in Oslo") from that of the user.
const compareCases = `
# residence
A: Ada lives in Bergen. / U: We've just moved, new place is in Oslo. / replaces
U: I live in Bergen. / U: I've moved to Oslo. / replaces
U: I live in Bergen. / U: I live in Oslo now. / replaces
U: I live in Oslo. / A: The user lives in Oslo. / same
U: I live in Norway. / U: I live in Oslo. / unsure
U: I live in Oslo. / U: I live in Oslo, Norway. / same
U: I live in Bergen. / U: I don't live in Bergen any more. / replaces
U: I live in Bergen. / U: I don't live in Oslo any more. / unrelated
U: My sister lives in Rome. / U: I've moved to Oslo. / unrelated
U: My sister lives in Rome. / U: My sister lives in Milan now. / replaces
A: Ada lives at 12 Elm Street. / U: I've moved to Oslo. / replaces
A: Ada lives at 12 Elm Street. / U: My new address is 4 Oak Road. / replaces
U: My address is 12 Elm Street. / A: Ada's address is 12 Elm Street. / same
U: I live in Bergen. / U: My address is 12 Elm Street. / unsure
A: Jonas wohnt in Graz. / U: Ich bin nach Wien gezogen. / replaces
U: Ich wohne in Graz. / U: Ich wohne jetzt in Wien. / replaces
A: Der Nutzer wohnt in Graz. / U: Ich wohne in Graz. / same
A: Elena vive en Sevilla. / U: Me he mudado a Madrid. / replaces
U: Vivo en Sevilla. / U: Ahora vivo en Madrid. / replaces
U: Vivo en Sevilla. / U: Ya no vivo en Sevilla. / replaces
A: 用户住在杭州。 / U: 我搬到上海了。 / replaces
U: 我住在杭州。 / U: 我现在住在上海。 / replaces
U: 我住在杭州。 / U: 我住在15楼。 / unsure
A: 用户住在杭州。 / U: 我住在杭州。 / same
U: I live in Oslo. / U: At weekends I live in Bergen. / adds
U: I live in Oslo during the week. / U: I live in Bergen. / unsure
U: I live in Oslo. / U: I live in Bergen and go skiing at weekends. / replaces
U: I live in Oslo during the week. / U: I've moved to Bergen. / replaces
U: Ich wohne in Graz. / U: Am Wochenende wohne ich in Linz. / adds
U: Vivo en Sevilla. / U: Los fines de semana vivo en Cádiz. / adds
# work
U: I work as a nurse. / U: I work as a volunteer firefighter, too. / adds
U: I work as a nurse. / U: I work as a firefighter, too many hours a week. / replaces
U: I work as a nurse. / U: In my spare time I work as a DJ. / adds
U: I also work as a barista. / U: I work as a teacher. / unsure
U: I work part-time at Acme. / U: I work part-time at Bluebird. / adds
U: I work part-time at Acme. / U: I work part-time at Bluebird now. / replaces
U: Ich arbeite bei Bosch. / U: Nebenbei arbeite ich bei Rewe. / adds
U: Trabajo como enfermera. / U: Trabajo como voluntaria en la Cruz Roja. / adds
U: I work at Equinor. / U: I left Equinor and joined Statkraft. / replaces
A: Ada works at Equinor. / U: I work at Statkraft now. / replaces
U: I work at Equinor. / U: I have a second job at Lidl. / adds
U: I work at Equinor. / U: I retired. / replaces
U: I work at Equinor. / U: I quit my job. / replaces
U: I work at Equinor. / U: I quit my job at Equinor. / replaces
U: I'm a nurse. / U: I work as a teacher. / replaces
U: I'm a nurse. / A: The user works as a nurse. / same
U: I work at Equinor. / U: I'm a geologist. / unrelated
A: Jonas arbeitet bei Bosch. / U: Ich habe bei Bosch gekündigt und arbeite jetzt bei Miele. / replaces
A: Jonas arbeitet bei Bosch. / U: Ich arbeite jetzt bei Miele. / replaces
U: Ich arbeite in der Kanzlei Roth. / U: Bei Roth habe ich letzte Woche aufgehört. / replaces
U: Ich arbeite 25 Stunden. / U: Ich arbeite jetzt 32 Stunden. / replaces
U: Ich arbeite 25 Stunden. / U: Ich habe auf 20 Stunden reduziert. / replaces
U: Ich bin Mitglied im Turnverein. / U: Den Turnverein habe ich gekündigt. / replaces
U: Ich bin Mitglied im Turnverein. / U: Ich bin in den Ruderverein eingetreten. / adds
U: Ich bin Lehrer. / U: Ich arbeite als Tischler. / replaces
A: Elena trabaja en Repsol. / U: Dejé Repsol y ahora trabajo en Iberdrola. / replaces
U: Trabajo como enfermera. / U: Soy enfermera. / same
A: 用户在华为工作。 / U: 我从华为跳槽到腾讯了。 / replaces
U: 我在华为上班。 / U: 我退休了。 / replaces
# tastes
U: Me chifla la novela negra. / U: A los de siempre ya no los aguanto, ahora escucho otra cosa. / unrelated
# wishes
U: Please keep your answers short. / U: Please give me long, detailed answers from now on. / replaces
U: Please keep your answers short. / U: You can write longer answers now. / replaces
U: Please keep your answers short. / U: You don't need to keep your answers so short any more. / replaces
U: You don't need to keep your answers so short any more. / U: Please keep your answers short. / replaces
U: Please keep your answers polite. / U: You don't have to keep your answers short. / unrelated
U: Never use emojis. / U: You can use emojis again. / replaces
U: You can use emojis again. / U: No emojis please. / replaces
U: Never use emojis. / U: You can write longer answers now. / unrelated
U: Bitte antworte kurz. / U: Du kannst wieder länger antworten. / replaces
U: Bitte antworte kurz. / U: Du musst nicht mehr so kurz antworten. / replaces
U: Bitte antworte in Stichpunkten. / U: Schreib mir bitte ganze Sätze. / replaces
U: Bitte keine Emojis. / U: Du darfst wieder Emojis verwenden. / replaces
U: Sé breve, por favor. / U: Respóndeme con respuestas largas. / replaces
U: 请简短回答。 / U: 请详细回答。 / replaces
# doses, codes, prices, activities
U: bisoprolol 2.5 in the morning / U: she's put the bisoprolol up to 5 / replaces
A: Ada takes 5 mg of ramipril. / U: they have taken me off ramipril / replaces
U: I take ramipril 5 mg. / U: I take atorvastatin 20 mg. / unrelated
U: I take ramipril 5 mg every morning. / U: Ramipril is 10 mg. / replaces
U: I take topiramate 25 mg at night. / U: Pemberton says stop the topiramate straight away. / replaces
U: Ich nehme Amlodipin 5 mg. / U: Das Amlodipin soll ich weglassen. / replaces
U: ich bin gelernter Schreiner / U: ich bin gegen Nüsse allergisch das weiß der Doktor / unrelated
U: I take ramipril 5 mg. / U: My mum takes ramipril 10 mg. / unrelated
A: The fridge code is 4417. / U: the fridge code is 9026 from today / replaces
U: the gate code is 4417 / U: the fridge code is 9026 / unrelated
U: I pay 45 a month for the gym. / U: the gym costs me 38 a month now / replaces
U: I play bowls on Tuesdays. / U: I've given up bowls. / replaces
U: I play bowls on Tuesdays. / U: I've given up darts. / unrelated
U: I'm retired. / U: I'm a widower. / unrelated
# belongings
U: I drive a Skoda. / U: Sold the Skoda, got an electric Renault instead. / replaces
A: Ada drives a Skoda. / U: I drive a Renault now. / replaces
A: Ada's car is a Skoda. / U: I drive a Skoda. / same
U: I drive a Skoda. / U: We sold the car. / replaces
U: My bike is a Canyon. / U: We sold the car. / unrelated
U: My number plate is AB 123. / U: My new number plate is CD 456. / replaces
U: My number plate is AB 123. / A: The user's number plate is AB123. / same
U: My phone number is 555 0100. / U: My phone number is now 555 0199. / replaces
U: My laptop is a ThinkPad. / U: My phone number is 555 0199. / unrelated
U: We sold the car. / U: My car is a Tesla. / replaces
U: Ich fahre einen Skoda. / U: Wir haben den Skoda verkauft. / replaces
U: Ich fahre einen Skoda. / U: Ich fahre jetzt einen Renault. / replaces
U: Ich fahre einen Skoda. / U: Den Skoda bin ich los. / replaces
U: Ich fahre einen Skoda. / U: Das Auto habe ich verkauft. / replaces
U: Der Code vom Fahrradschloss ist 4417. / U: Das Fahrradschloss hat ab heute die 8052. / replaces
U: Der Code vom Fahrradschloss ist 4417. / U: Der Code für den Keller ist 8052. / unrelated
U: Unser WLAN-Passwort ist Tanne12. / U: Das WLAN-Passwort ist jetzt Fichte13. / replaces
U: Ich nehme morgens Ramipril 5 mg. / U: Ich nehme jetzt 10 mg Ramipril. / replaces
U: Ich nehme Ramipril 5 mg. / U: Ich nehme jetzt auch 20 mg Pantoprazol. / unrelated
U: Ich nehme Ramipril 5 mg. / U: Ramipril wurde auf 10 mg erhöht. / replaces
U: Unsere Miete beträgt 780 Euro. / U: Die Miete wurde auf 820 Euro erhöht. / replaces
U: Der Türcode ist 4410. / U: Der neue Türcode ist 5561. / replaces
U: Meine Tochter geht aufs Gymnasium. / U: Meine Tochter geht jetzt auf die Goetheschule. / replaces
U: Unser Hund heißt Bello. / U: Unser Hund ist gestern gestorben. / replaces
U: Unser Kater heißt Mo. / U: Wir haben den Kater einschläfern lassen. / replaces
U: Ich bin mit Jan verheiratet. / U: Wir haben uns getrennt. / replaces
U: Ich habe dienstags Chor. / U: Nein, mittwochs, nicht dienstags. / replaces
U: Ich habe dienstags Chor. / U: Der Chor ist auf mittwochs verlegt. / replaces
U: Die Hochzeit ist am 9. Mai. / U: Die Hochzeit ist auf den 20. Juni verschoben. / replaces
U: Mein Kennzeichen ist G 123 AB. / U: Mein neues Kennzeichen ist W 456 CD. / replaces
U: Conduzco un Seat. / U: Vendimos el coche. / replaces
U: Mi matrícula es 1234 ABC. / U: Mi nueva matrícula es 5678 DEF. / replaces
U: 我开的是一辆大众。 / U: 我把车卖了。 / replaces
U: 我的车牌是浙A12345。 / U: 我的新车牌是沪B98765。 / replaces
U: My electricity supplier is Eon. / U: We switched from Eon to Octopus. / replaces
# people in a role
U: My GP is Dr. Hale. / U: I changed doctors, Dr. Okafor now. / replaces
A: The user's dentist is Dr. Lund. / U: Dr. Vega is my new dentist. / replaces
A: Ada's dentist is Dr. Lund. / U: My dentist is Dr. Lund. / same
U: My dentist is Dr. Lund. / U: My GP is Dr. Hale. / unrelated
U: My boss is Henrik. / U: My boss is Sofia. / replaces
U: My boss is Henrik. / U: My boss hates meetings. / unrelated
U: My piano teacher is Rosa. / U: My new piano teacher is Igor. / replaces
A: Jonas' Zahnarzt ist Dr. Lund. / U: Ich habe den Zahnarzt gewechselt, jetzt Dr. Huber. / replaces
U: Mein Chef heißt Gruber. / U: Mein neuer Chef heißt Maier. / replaces
A: El dentista de Elena es Pablo Ruiz. / U: He cambiado de dentista, ahora es el doctor Vega. / replaces
U: Mein Chef heißt Gruber. / U: Frau Seidel leitet jetzt unsere Abteilung. / replaces
U: Meine Chefin ist Frau Seidel. / U: Meine Chefin dort ist Frau Roth. / replaces
U: Mi jefe se llama Juan. / U: Mi nuevo jefe se llama Pedro. / replaces
A: 用户的牙医是李医生。 / U: 我换了牙医，现在是王医生。 / replaces
U: 我老板叫王强。 / U: 我的新老板叫李刚。 / replaces
# kin and what adds up
U: My sister is called Noor. / U: My sister is called Lina. / adds
U: My sister is called Noor. / A: Ada's sister is Noor. / same
U: My sister is called Noor. / U: Her name is Nora, not Noor. / replaces
U: I'm allergic to nuts. / U: I'm allergic to penicillin. / adds
U: I'm allergic to nuts. / A: The user is allergic to nuts. / same
U: I'm allergic to nuts. / U: I'm not allergic to nuts. / replaces
U: I speak German. / U: I also speak Dutch. / adds
U: I speak German. / A: Ada speaks German. / same
U: Our dog is called Rex. / U: We got another dog called Bo. / adds
U: Our dog is called Rex. / U: Our dog died. / replaces
U: I have a cat. / U: I have two dogs. / adds
U: I'm a member of the choir. / U: I joined the alpine club. / adds
U: Meine Schwester heißt Noor. / U: Meine Schwester heißt Lina. / adds
U: Ich bin allergisch gegen Nüsse. / U: Ich bin gegen Penicillin allergisch. / adds
U: Mama wohnt in Goslar. / U: Meine Mama ist nach Celle gezogen. / replaces
U: Mama wohnt in Goslar. / U: Papa ist nach Celle gezogen. / unrelated
U: Ich esse kein Fleisch. / U: Ich esse wieder Fleisch. / replaces
U: Ich esse seit Ostern kein Fleisch mehr. / U: Ich esse kein Fleisch. / same
U: Ich rauche nicht mehr. / U: Ich rauche wieder. / replaces
U: Ich rauche wieder. / U: Ich habe mit dem Rauchen aufgehört. / replaces
U: Ich schwimme jeden Sonntag im Hallenbad. / U: Mit dem Schwimmen ist Schluss. / replaces
U: Ich schwimme jeden Sonntag im Hallenbad. / U: Mit dem Töpfern habe ich aufgehört. / unrelated
U: Ich gehe montags zum Chor. / U: Mit dem Chor habe ich aufgehört. / replaces
U: Ich habe montags Skat. / U: Skat ist jetzt freitags. / replaces
A: Der Nutzer ist allergisch gegen Nüsse. / U: Gegen Nüsse bin ich allergisch. / same
U: Ich spreche Deutsch. / U: Ich spreche auch Ungarisch. / adds
U: Mi hermana se llama Noor. / U: Mi hermana se llama Lina. / adds
A: El usuario es alérgico a las nueces. / U: Tengo alergia a las nueces. / same
U: Hablo catalán. / U: También hablo francés. / adds
U: 我妹妹叫小雪。 / U: 我妹妹叫小雨。 / adds
U: 我对花生过敏。 / U: 我对青霉素过敏。 / adds
A: 用户对花生过敏。 / U: 我对花生过敏。 / same
U: 我会说日语。 / U: 我会说韩语。 / adds
# of several people, which
U: My sister Anjali lives in Lisbon. / U: My sister Meera lives in York. / unrelated
U: My sister Anjali lives in Lisbon. / U: My sister Meera lives in Lisbon. / unrelated
U: My sister Anjali lives in Lisbon. / U: My sister Meera has moved to York. / unrelated
U: My sister Anjali lives in Lisbon. / U: My sister Anjali has moved to York. / replaces
U: My sister Anjali lives in Lisbon. / U: My sister has moved to York. / unsure
U: My sister lives in Lisbon. / U: My sister has moved to York. / replaces
U: My older sister lives in Lisbon. / U: My younger sister has moved to York. / unsure
A: Ada's sister Anjali lives in Lisbon. / U: My sister Meera lives in York. / unrelated
A: Ada's sister Anjali lives in Lisbon. / U: My sister Anjali lives in York now. / replaces
U: My daughter Priya is eight. / U: My daughter Anna is five. / unrelated
U: My daughter Priya is eight. / U: My daughter Priya is nine. / replaces
U: My friend Bex works at the RSPCA. / U: My friend Dawn works at Morrisons. / unrelated
U: My friend is a nurse. / U: My friend is a teacher. / unsure
U: My friend loves olives. / U: My friend hates olives. / unsure
U: My colleague Kit is from Skipton. / U: My colleague Farhan is from Dewsbury. / unrelated
U: Our neighbour Mr Bhatt is a retired dentist. / U: Our neighbour Jo is a paramedic. / unrelated
U: Our neighbour is called Jo. / U: Our neighbour is called Mr Bhatt. / adds
U: My aunt lives in Pune. / U: My aunt Leela lives in Leicester. / unsure
U: My wife Anna works at Bosch. / U: My wife works at Miele now. / replaces
U: My boss Gail lives in Leeds. / U: My boss Tom lives in York. / unrelated
U: Meine Schwester Anna wohnt in Köln. / U: Meine Schwester Lena wohnt in Bonn. / unrelated
U: Meine Schwester Anna wohnt in Köln. / U: Meine Schwester Anna ist nach Bonn gezogen. / replaces
U: Meine Schwester wohnt in Köln. / U: Meine Schwester ist nach Bonn gezogen. / replaces
U: Meine Tochter Anna ist acht. / U: Meine Tochter Lena ist fünf. / unrelated
U: Mein Kollege Kai kommt aus Graz. / U: Mein Kollege Tim kommt aus Linz. / unrelated
U: Unser Nachbar Huber ist Zahnarzt. / U: Unser Nachbar Lang ist Lehrer. / unrelated
U: Meine Tante wohnt in Köln. / U: Meine Tante Erna wohnt in Bonn. / unsure
U: Mi hermana Ana vive en Sevilla. / U: Mi hermana Lucía vive en Cádiz. / unrelated
U: Mi hermana Ana vive en Sevilla. / U: Mi hermana Ana se ha mudado a Cádiz. / replaces
U: Mi hermana vive en Sevilla. / U: Mi hermana se ha mudado a Cádiz. / replaces
U: Mi amiga Bea trabaja en Repsol. / U: Mi amiga Sol trabaja en Iberdrola. / unrelated
U: Nuestro vecino Paco es dentista. / U: Nuestra vecina Ana es enfermera. / unrelated
U: Mi tía vive en Sevilla. / U: Mi tía Rosa vive en Cádiz. / unsure
U: 我妹妹小雪住在北京。 / U: 我妹妹小雨住在上海。 / unrelated
U: 我妹妹小雪住在北京。 / U: 我妹妹小雪搬到上海了。 / replaces
U: 我姐姐住在北京。 / U: 我妹妹搬到上海了。 / unsure
U: 我妹妹住在北京。 / U: 我妹妹搬到上海了。 / replaces
U: 我同事在华为工作。 / U: 我同事小王在腾讯工作。 / unsure
# side remarks
U: I work at Ashgrove Vets. / U: I work at home on Thursdays. / unrelated
U: I work at Ashgrove Vets. / U: I work at a snail's pace on Mondays. / adds
U: I work at Ashgrove Vets. / U: I work at the Otley branch on Fridays. / adds
U: I work at Ashgrove Vets. / U: I work at the Otley branch now. / replaces
U: I work at the Otley branch on Fridays. / U: I work at Ashgrove Vets now. / unsure
U: I work at Equinor. / U: I work at Statkraft. / replaces
U: I work at Equinor. / U: I've started at Statkraft. / replaces
U: My employer is Equinor. / U: I work at Statkraft. / replaces
U: I'm retired. / U: I work at the hospice shop on Fridays. / unrelated
U: I work at Bosch. / U: I don't work at Bosch on Fridays. / unrelated
U: I drive a Fabia. / U: I drive a minibus for the school trip on Friday. / adds
U: I drive a Fabia. / U: I drive a van at weekends. / adds
U: I drive a Fabia. / U: I drive a van for work. / unsure
U: I drive a Fabia. / U: I don't drive any more. / replaces
U: I like coffee. / U: I don't like coffee after six. / unrelated
U: I like coffee. / U: I hate coffee in the evening. / unrelated
U: I like coffee. / U: I don't like instant coffee. / unrelated
U: I like coffee. / U: I don't like coffee any more. / replaces
U: I love green olives. / U: I hate olives. / replaces
U: I don't drink coffee after six. / U: I drink coffee again. / unrelated
U: I speak Gujarati. / U: I don't speak Gujarati with the kids enough. / unrelated
U: I speak Gujarati. / U: I don't speak Gujarati any more. / replaces
U: I speak German. / U: I don't speak Swiss German. / unrelated
U: I hate coriander. / U: I don't hate coriander in Sheila's curry. / unrelated
U: I'm a member of the choir. / U: I'm not a member of the choir on Fridays. / unrelated
U: I live in Leeds. / U: I live on Ashby Terrace. / unsure
U: I live in Leeds. / U: I don't live in Leeds during the week. / unrelated
U: Ich arbeite bei Bosch. / U: Ich arbeite donnerstags zu Hause. / unrelated
U: Ich fahre einen Fabia. / U: Ich fahre einen Bus für den Schulausflug am Freitag. / unrelated
U: Ich mag Kaffee. / U: Ich mag keinen Kaffee nach sechs. / unrelated
U: Ich mag Kaffee. / U: Ich mag keinen Kaffee mehr. / replaces
U: Ich spreche Ungarisch. / U: Ich spreche kein Ungarisch mit den Kindern. / unrelated
U: Ich wohne in Graz. / U: Ich wohne in der Annenstraße. / unsure
U: Trabajo en Repsol. / U: Trabajo en la oficina de Getafe los viernes. / adds
U: Me gusta el café. / U: No me gusta el café después de las seis. / unrelated
U: Hablo catalán. / U: No hablo catalán con los niños. / unrelated
U: 我喜欢咖啡。 / U: 我不喜欢晚上喝咖啡。 / unrelated
U: 我会说日语。 / U: 我不会说日语的敬语。 / unrelated
# food, taste
U: I love olives. / U: I hate olives. / replaces
U: I love olives. / U: I love capers. / adds
U: I don't like jazz. / U: I love jazz. / replaces
U: I don't eat meat. / U: I eat meat again. / replaces
U: I'm vegetarian. / U: I'm vegan now. / replaces
U: I'm vegetarian. / U: I'm not vegetarian any more. / replaces
U: I'm vegetarian. / U: I'm gluten-free. / adds
U: My favourite tea is oolong. / U: These days I prefer matcha over oolong. / replaces
U: My favourite tea is oolong. / U: My favourite tea is matcha. / replaces
U: My favourite tea is oolong. / U: My favourite colour is teal. / unrelated
U: My favourite colour is teal. / A: Ada's favourite colour is teal. / same
A: User prefers window seats. / U: I prefer aisle seats over window seats. / replaces
A: User prefers window seats. / U: I prefer window seats. / same
U: I use Vim. / U: I switched from Vim to Zed. / replaces
U: Meine Lieblingsfarbe ist Blau. / U: Meine Lieblingsfarbe ist jetzt Grün. / replaces
U: Ich mag Oliven. / U: Ich mag keine Oliven. / replaces
U: Ich bin Vegetarierin. / U: Ich bin nicht mehr Vegetarierin. / replaces
U: Mi color favorito es el azul. / U: Mi color favorito es el verde. / replaces
U: Me encanta el café. / U: Ahora prefiero el té al café. / replaces
U: Me gustan las aceitunas. / U: No me gustan las aceitunas. / replaces
U: 我最喜欢的颜色是蓝色。 / U: 我最喜欢的颜色是绿色。 / replaces
U: 我喜欢榴莲。 / U: 我不喜欢榴莲。 / replaces
U: 我喜欢榴莲。 / U: 我喜欢爬山。 / adds
# schedules, memberships
U: I have yoga on Tuesdays. / U: Yoga has moved to Thursdays. / replaces
U: I have yoga on Tuesdays. / U: I also have yoga on Fridays. / adds
U: I have yoga on Tuesdays. / U: Yoga is on Tuesdays. / same
U: I have yoga on Tuesdays. / U: I have choir on Tuesdays. / unrelated
U: Ich habe dienstags Yoga. / U: Yoga ist jetzt donnerstags. / replaces
U: Tengo yoga los martes. / U: El yoga pasó a los jueves. / replaces
U: La asamblea de vecinos es cada martes. / U: La asamblea de vecinos pasa a los jueves. / replaces
U: La asamblea de vecinos es cada martes. / U: El reparto pasa a los jueves. / unrelated
U: El reparto es cada martes. / U: no, jueves, no martes / replaces
U: 我每周二有瑜伽课。 / U: 瑜伽课改到周四了。 / replaces
U: 我每天早上吃缬沙坦80毫克 / U: 缬沙坦减到40毫克了 / replaces
U: 我每天早上吃缬沙坦80毫克 / U: 我每天晚上吃阿托伐他汀20毫克 / unrelated
U: 店周二休息 / U: 店改成周四休息 / replaces
U: 乐乐在蓝天幼儿园 / U: 乐乐转园了 去了红黄蓝 / replaces
U: 我不吃海鲜 / U: 我又开始吃海鲜了 / replaces
U: 在超级猩猩办了年卡 / U: 猩猩的年卡我转掉了 / replaces
U: 房租一个月4200 / U: 房租涨到4600了 / replaces
A: Ada's gym is FitBase. / U: I switched gyms, IronHouse now. / replaces
A: Ada switched gyms: now at FitBase / U: My gym is FitBase. / same
# status, wishes, age
U: I'm single. / U: I got married. / replaces
U: My wife is Anna. / U: I'm divorced. / replaces
U: I'm 41 years old. / U: I'm 42 years old. / replaces
U: Please answer briefly. / U: Please answer in detail. / replaces
U: Always use metric units. / U: Always use imperial units. / replaces
U: Reply in French. / U: From now on, reply in German. / replaces
U: Call me Bo. / U: My name is Bo. / same
U: Bitte antworte kurz. / U: Bitte antworte ausführlich. / replaces
U: Responde siempre en español. / U: Responde en inglés. / replaces
U: 请用中文回答。 / U: 请用英文回答。 / replaces
U: I live in Oslo. / U: I'm allergic to nuts. / unrelated
U: My wedding is on 14 June. / U: My wedding is on 15 June. / unsure
`

var verdictNames = map[Verdict]string{Unrelated: "unrelated", Adds: "adds", Same: "same", Replaces: "replaces", Unsure: "unsure"}

// claimOf reads one claim of a case.
func claimOf(t *testing.T, s string) (Claim, bool) {
	t.Helper()
	who, text, _ := strings.Cut(s, ": ")
	if who == "A" {
		return Reported(text, []string{"Ada", "Jonas", "Elena"})
	}
	for _, c := range Claims(text, 0) {
		return c, true
	}
	return Claim{}, false
}

func TestCompare(t *testing.T) {
	n := 0
	for line := range strings.Lines(compareCases) {
		parts := strings.Split(strings.TrimSpace(line), " / ")
		if len(parts) != 3 {
			continue
		}
		n++
		earlier, ok := claimOf(t, parts[0])
		later, also := claimOf(t, parts[1])
		if !ok || !also {
			t.Errorf("%s: no claim (earlier %v, later %v)", line, ok, also)
			continue
		}
		if got := verdictNames[Compare(later, earlier)]; got != parts[2] {
			t.Errorf("%s   got %s:\n   %s\n   %s", line, got, mark(earlier), mark(later))
		}
	}
	if n < 120 {
		t.Errorf("%d pairs, want 120", n)
	}
}
