package names

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// Name is a proper name split into its parts.
type Name struct {
	Surface string   // as written, with single spaces
	Title   string   // "dr.", "frau", folded; "" without one
	Kinship bool     // the title is a kinship term, as in "aunt Ida": a given name follows
	Bare    string   // as written, without the title
	Words   []string // of Bare, folded; at least one
}

// Parse splits a proper name.
func Parse(surface string) Name {
	fields := strings.Fields(surface)
	n := Name{Surface: strings.Join(fields, " ")}
	if len(fields) > 1 {
		first := text.Fold(fields[0])
		if kinships[first] || titles[first] {
			n.Title, n.Kinship, fields = first, kinships[first], fields[1:]
		}
	}
	n.Bare = strings.Join(fields, " ")
	n.Words = strings.Fields(text.Fold(n.Bare))
	if len(n.Words) == 0 { // folding removed everything
		return Name{Surface: surface, Bare: surface, Words: []string{strings.ToLower(surface)}}
	}
	return n
}

// Full returns the folded name without its title.
func (n Name) Full() string { return strings.Join(n.Words, " ") }

// Given returns the first word, folded.
func (n Name) Given() string { return n.Words[0] }

// Family returns the last word, folded.
func (n Name) Family() string { return n.Words[len(n.Words)-1] }

// Single reports whether the name is one word, its title apart.
func (n Name) Single() bool { return len(n.Words) == 1 }

// PartOf reports whether the name is one word of a longer name.
func (n Name) PartOf(full Name) bool {
	return n.Single() && !full.Single() && slices.Contains(full.Words, n.Given())
}

// What [Name.Person] returns for different forms.
const (
	Titled    = 1.0
	KnownName = 0.9 // the first word is a known given name
	FullNamed = 0.6 // two to four capitalised words, none of them known
)

// Person returns how likely the form of the name makes it a person's, 0–1:
// [Titled], [KnownName], [FullNamed] or 0.
func (n Name) Person() float64 {
	if n.Title != "" {
		return Titled
	}
	if IsGiven(n.Given()) && !n.hasThing() {
		return KnownName
	}
	if n.Single() || n.hasThing() || len(n.Words) > 4 {
		return 0
	}
	for field := range strings.FieldsSeq(n.Bare) {
		if particles[text.Fold(field)] {
			continue
		}
		if !capitalised(field) {
			return 0
		}
	}
	return FullNamed
}

func (n Name) hasThing() bool {
	return slices.ContainsFunc(n.Words, func(w string) bool { return things[w] })
}

// capitalised reports whether each part of a hyphenated word is a capital
// followed by small letters: "Anna", "Achebe-Lund", not "JR" or "iPhone".
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

// IsTitle reports whether a folded word is a title such as "dr.".
func IsTitle(folded string) bool { return titles[folded] }

// IsAlsoWord reports whether a folded given name is a common word as well. In
// small letters it is taken for the word.
func IsAlsoWord(folded string) bool { return commonWords[folded] }

var (
	titles = text.WordSet(`dr dr. doctor prof prof. professor mr mr. mrs mrs. ms ms. miss sir madam dame lord lady rev rev. father sister brother
		herr frau fraulein senor senora sr sr. sra sra. don dona monsieur madame mme m. mlle captain judge judge. coach`)
	// German capitalises kinship terms as all nouns, which makes them look like
	// a part of the name.
	kinships = text.WordSet(`aunt auntie uncle grandma grandpa granny gran grandad granddad nana nan cousin tante onkel oma opa tia tio abuela abuelo
		chef chefin schwester bruder mutter vater freund freundin nachbar nachbarin tochter sohn`)
	particles = text.WordSet("van von de der den del della di da do dos du la le el al bin ibn ben zu av af y e")
	// things are words that occur in the names of companies, places, works and
	// products, not in those of people.
	things = text.WordSet(`inc inc. ltd ltd. llc gmbh ag sa plc co corp corp. company group holding holdings partners bank capital fund ventures
		university college school institute academy hospital clinic clinique klinik church cathedral museum gallery library theatre theater opera
		hotel hostel inn cafe restaurant bar pub bistro bakery house hall haus center centre arena stadium park garden gardens square plaza tower bridge
		street st. road avenue boulevard lane river lake mount mountain island islands beach bay valley city town village station airport port north
		south east west new old san santa saint air airlines airways ferries ferry railway railways trains energy power electric motors systems
		software labs lab technologies tech solutions services logistics logistik consulting media press news times journal magazine books book club
		team project pass card app cloud api studio code server os pro max plus mini phone pad watch mac requiem symphony sonata concerto song songs
		story stories album festival conference meetup summit cup league prize award awards act law army navy party union council committee ministry
		department office agency society association foundation trust the a an of and for in on at to roads orchard day week month year`)
	commonWords = text.WordSet(`will may mark hope april june august rose grace art bill frank jack rich grant chase faith joy dawn summer autumn ivy lily
		ruby amber penny olive iris daisy violet heather hazel holly robin drew dean miles sue rob nick dick gene josh skip buddy norm wade reed
		brook sandy rocky sunny christian german sterling jasmine ginger pepper angel star melody harmony charity mercy trinity destiny wolf lance
		pierce colt dolly dots dot pat ray ted don ed al les len val kit max guy jo bea memo pancho chuck teddy wally harry angel cliff clay dale
		duke earl flora gale glen herb hunter jade lane lee major mason opal pearl piper prince queen rain randy ricky river roman rusty sage
		scout stella storm tucker viola willow woody tony mina mila lola nana lil mel gail nan dom sol mano tono si`)
)
