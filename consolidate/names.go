package consolidate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// personName is a proper name taken apart. Words are folded.
type personName struct {
	surface string   // as written
	title   string   // "dr.", "frau"; "" without
	kin     bool     // the title is a kinship: a given name follows
	words   []string // without the title
	bare    string   // as written, without the title
}

func words(folded string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(folded) {
		set[w] = true
	}
	return set
}

var (
	titles = words(`dr dr. doctor prof prof. professor mr mr. mrs mrs. ms ms. miss sir madam dame lord lady rev rev. father sister brother
		herr frau fraulein senor senora sr sr. sra sra. don dona monsieur madame mme m. mlle captain judge judge. coach`)
	kinships = words(`aunt auntie uncle grandma grandpa granny gran grandad granddad nana nan cousin tante onkel oma opa tia tio abuela abuelo
		chef chefin schwester bruder mutter vater freund freundin nachbar nachbarin tochter sohn`)  // German writes them with a capital
	particlesOfNames = words("van von de der den del della di da do dos du la le el al bin ibn ben zu av af y e")
	// things are words that a person's name does not hold: a name with one of
	// them is that of a company, a place, a work or a product.
	things = words(`inc inc. ltd ltd. llc gmbh ag sa plc co corp corp. company group holding holdings partners bank capital fund ventures
		university college school institute academy hospital clinic clinique klinik church cathedral museum gallery library theatre theater opera
		hotel hostel inn cafe restaurant bar pub bistro bakery house hall haus center centre arena stadium park garden gardens square plaza tower bridge
		street st. road avenue boulevard lane river lake mount mountain island islands beach bay valley city town village station airport port north
		south east west new old san santa saint air airlines airways ferries ferry railway railways trains energy power electric motors systems
		software labs lab technologies tech solutions services logistics logistik consulting media press news times journal magazine books book club
		team project pass card app cloud api studio code server os pro max plus mini phone pad watch mac requiem symphony sonata concerto song songs
		story stories album festival conference meetup summit cup league prize award awards act law army navy party union council committee ministry
		department office agency society association foundation trust the a an of and for in on at to roads orchard day week month year`)
)

// parseName takes a name apart.
func parseName(surface string) personName {
	fields := strings.Fields(surface)
	n := personName{surface: strings.Join(fields, " ")}
	if len(fields) > 1 {
		first := text.Fold(fields[0])
		if kinships[first] || titles[first] {
			n.title, n.kin, fields = first, kinships[first], fields[1:]
		}
	}
	n.bare = strings.Join(fields, " ")
	n.words = strings.Fields(text.Fold(n.bare))
	if len(n.words) == 0 { // nothing that folding leaves: a name is never without a word
		return personName{surface: surface, bare: surface, words: []string{strings.ToLower(surface)}}
	}
	return n
}

func (n personName) full() string   { return strings.Join(n.words, " ") }
func (n personName) given() string  { return n.words[0] }
func (n personName) family() string { return n.words[len(n.words)-1] }
func (n personName) single() bool   { return len(n.words) == 1 }

// partOf reports that a name is one word of an entity's longer one.
func (n personName) partOf(e *schema.Entity) bool {
	have := parseName(e.Name)
	return n.single() && !have.single() && slices.Contains(have.words, n.given())
}

// personhood is how sure its form makes that a name is a person's, 0–1.
func (n personName) personhood() float64 {
	if n.title != "" {
		return 1
	}
	if isGivenName(n.given()) && !n.hasThing() {
		return 0.9
	}
	if n.single() || n.hasThing() || len(n.words) > 4 {
		return 0
	}
	for field := range strings.FieldsSeq(n.bare) {
		if particlesOfNames[text.Fold(field)] {
			continue
		}
		if !capitalised(field) {
			return 0
		}
	}
	return 0.6
}

func (n personName) hasThing() bool {
	for _, w := range n.words {
		if things[w] {
			return true
		}
	}
	return false
}

// capitalised reports one capital, then small letters, in each part of a
// hyphenated word: "Anna", "Achebe-Lund", not "JR" or "iPhone".
func capitalised(word string) bool {
	for part := range strings.SplitSeq(word, "-") {
		runes := []rune(part)
		if len(runes) < 2 || !unicode.IsUpper(runes[0]) {
			return false
		}
		for i, r := range runes[1:] {
			if unicode.IsDigit(r) || unicode.IsUpper(r) && i == 0 {
				return false
			}
		}
	}
	return true
}
