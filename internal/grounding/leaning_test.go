package grounding

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLeanOf(t *testing.T) {
	for sentence, want := range map[string]Lean{
		"told them 900 for the evening, they paid at once": Dangles,
		"she said yes.":                                                                        Dangles,
		"Those two want an album as well":                                                      Dangles,
		"Er fährt den Nachtzug und schläft am Tag.":                                            Dangles,
		"Ella trabaja en la biblioteca.":                                                       Dangles,
		"她下個月搬去台中":                                                                             Dangles,
		"The meeting is on 3 May and he'd like the flyer by then.":                             Leans,
		"I'd prepared a long speech and she just nodded, so it's 40 from June":                 Leans,
		"Ich habe mit Anja Vogel abgesprochen, dass er in Physik zu ihr in die Zehnte darf.":   Leans,
		"Der Vater arbeitet nachts und ist vormittags schwer zu erreichen.":                    Leans,
		"Die alte Nummer gilt nicht mehr, die neue ist 030 5512.":                              Leans,
		"Paul hat ihm gleich seine Münzen gezeigt.":                                            Leans,
		"Öffnen tut sie in der großen Pause.":                                                  Leans,
		"Hidden in the tool shed.":                                                             Leans,
		"Ramipril 5 mg instead, at night.":                                                     Leans,
		"invoices there go to a man in accounts":                                               Dangles,
		"the rehearsals are on Mondays and the door there sticks":                              Leans,
		"La hermana vive en Burgos.":                                                           Leans,
		"My sister is Noor and she lives in Oslo.":                                             Stands,
		"Ask Petra whether she has the key.":                                                   Stands,
		"The father of Karim drives the bus.":                                                  Stands,
		"Die Mutter von Paul arbeitet nachts.":                                                 Stands,
		"There are two keys, both in the shed.":                                                Stands,
		"In Lisbon the bakery there opens at six.":                                             Stands,
		"Lina hat heute gesagt, dass sie lieber rechnet.":                                      Stands,
		"Anja mag Paul, weil er leise ist.":                                                    Stands,
		"La madre de Paul trabaja de noche.":                                                   Stands,
		"I'd rather walk instead of taking the bus to the office in the morning with everyone": Stands,
		"我姊要從溫哥華回來":                                                                            Stands,
	} {
		assert.Equal(t, want, LeanOf(sentence), sentence)
	}
}

// People who type on a phone leave out apostrophes, capitals and, in Spanish, accents.
func TestLeanOfWhatWasTypedCasually(t *testing.T) {
	for sentence, want := range map[string]Lean{
		"hes on the early shift till may":              Dangles,
		"shes got both spare keys":                     Dangles,
		"and theyve put the rent up to 640":            Dangles,
		"theyre closed on mondays now":                 Dangles,
		"the flat is 640 and shes keeping the deposit": Leans,
		"its tuesdays now half six":                    Leans,
		"its moved to the small hall from next week":   Leans,
		"It's in the drawer under the till.":           Leans,
		"Herself and Niamh do the books.":              Dangles,
		"a ella le presté el taladro":                  Dangles,
		"a el lo operan el martes":                     Dangles,
		"su aniversario es el 9 de mayo":               Dangles,
		"ya no va a tomar café por la noche":           Leans,
		"ya me transfirio la mitad":                    Leans,
		"me pidió el recibo de marzo":                  Leans,
		"vive en Tarifa con dos gatos":                 Leans,
		"tiene la llave de repuesto":                   Leans,
		"er isn halbes Jahr im Ausland":                Dangles,
		"sie is jetzt in der Frühschicht":              Dangles,
		"jetzt isn er wieder da":                       Leans,
		"es ist jetzt immer dienstags um sechs":        Leans,
		"its lid is cracked now":                       Stands,
		"its raining again now":                        Stands,
		"it's Monday now and I still feel it":          Stands,
		"the shed is on a slope":                       Stands,
		"hell is other people":                         Stands,
		"my sister says shes off in june":              Stands,
		"Vino mi hermana con los niños":                Stands,
		"va a llover toda la semana":                   Stands,
		"ya no tomo café por la noche":                 Stands,
		"llamo mañana al dentista":                     Stands,
		"Llegó el paquete de Lima":                     Stands,
		"Me dijo la doctora que baje la sal":           Stands,
		"es ist jetzt kalt draußen":                    Stands,
		"Isn schöner Tag heute":                        Stands,
	} {
		assert.Equal(t, want, LeanOf(sentence), sentence)
	}
}

func TestIsStump(t *testing.T) {
	for sentence, want := range map[string]bool{
		"back from the shops.":                         true,
		"He's back!":                                   true,
		"Ich bin so froh.":                             true,
		"It took me ages to get it.":                   true,
		"Walter rang at 9.":                            false,
		"lunch with Petra was nicer than I feared.":    false,
		"Katzen machen mir mit ihren Haaren Asthma.":   false,
		"Der Schlüssel liegt unter der dritten Stufe.": false,
		"No gluten, no milk, no eggs for my youngest.": false,
	} {
		assert.Equal(t, want, IsStump(sentence), sentence)
	}
}
