package claims

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rewordings are a user's message and a claim in a model's words that says no more.
var rewordings = []struct{ said, claim string }{
	{"I'm allergic to nuts.", "The user is allergic to nuts."},
	{"I'm allergic to nuts.", "Ada is allergic to nuts."},
	{"I'm allergic to nuts.", "Ada has a nut allergy."},
	{"By the way, I'm vegetarian.", "Ada is a vegetarian."},
	{"I live in Oslo.", "The user lives in Oslo."},
	{"I live in Oslo, up in Grünerløkka.", "The user lives in Oslo, up in Grünerløkka."},
	{"I've moved to Oslo!", "Ada lives in Oslo now."},
	{"I've moved to Oslo!", "Ada has moved to Oslo."},
	{"I moved to Oslo on 3 March 2026.", "The user moved to Oslo in March 2026."},
	{"I moved to Oslo last week, and it rains.", "The user moved to Oslo in May 2026."},
	{"I work at ACME.", "The user works at ACME."},
	{"I work at ACME as a welder.", "Ada works at ACME as a welder."},
	{"I'm a nurse.", "The user works as a nurse."},
	{"I'm a nurse.", "The user is a nurse."},
	{"My sister lives in Oslo.", "The user's sister lives in Oslo."},
	{"My sister Noor lives in Ghent.", "Ada's sister Noor lives in Ghent."},
	{"My sister Noor lives in Ghent.", "Noor lives in Ghent."},
	{"My sister is Noor. She lives in Bergen.", "The user's sister Noor lives in Bergen."},
	{"Rosa is my sister.", "The user's sister is called Rosa."},
	{"I have a sister called Rosa.", "The user's sister is called Rosa."},
	{"My dog Biscuit hates the vet.", "The user's dog is called Biscuit."},
	{"My dog Biscuit hates the vet.", "The user has a dog called Biscuit."},
	{"No no, my dog is called Crumble.", "The user's dog is called Crumble."},
	{"What a day. My dog Biscuit is 4 today!", "The user's dog Biscuit is 4 years old."},
	{"My dog, Biscuit, is 4 today.", "Biscuit is 4 years old."},
	{"I speak English, German and Spanish.", "The user speaks Spanish."},
	{"I have a dog and two cats.", "The user has two cats."},
	{"We have three kids now!", "The user has 3 children."},
	{"My rent is 1250 euros, can you believe it", "The user's rent is 1,250 euros."},
	{"I love tea and I hate coffee.", "The user loves tea and hates coffee."},
	{"I love tea and I hate coffee.", "The user hates coffee."},
	{"I don't like fish.", "The user dislikes fish."},
	{"I don't like fish.", "The user does not like fish."},
	{"I no longer work at ACME.", "The user no longer works at ACME."},
	{"I am not allergic to walnuts.", "The user is not allergic to walnuts."},
	{"I prefer tea over coffee.", "The user prefers tea over coffee."},
	{"I want to move to Lisbon some day.", "The user wants to move to Lisbon."},
	{"I used to live in Rome.", "The user used to live in Rome."},
	{"My birthday is on 3 May.", "The user's birthday is on 3 May."},
	{"I train every Sunday, rain or shine.", "The user trains every Sunday."},
	{"I told you, I'm allergic to nuts!", "The user is allergic to nuts."},
	{"I play the cello in a quartet on Thursdays.", "The user plays the cello in a quartet on Thursdays."},
	{"I owe Tom 50 euros.", "The user owes Tom 50 euros."},
	{"Tom hates Ann.", "Tom hates Ann."},
	{"Ich wohne in Oslo.", "The user lives in Oslo."},
	{"Ich bin allergisch gegen Nüsse.", "Der Benutzer ist allergisch gegen Nüsse."},
	{"Vivo en Oslo.", "El usuario vive en Oslo."},
	{"我住在东京。", "用户住在东京。"},
	{"我对坚果过敏。", "用户对坚果过敏。"},
	{"My dog is called Biscuit. He is 4 now, and I live in Oslo.", "The user's dog is called Biscuit. The user lives in Oslo."},
	{"My sister Noor lives in Bergen and has two cats.", "Noor has two cats."},
	{"My sister lives in Bergen and has two cats.", "The user's sister has two cats."},
	{"I moved to Oslo and work at ACME.", "The user works at ACME."},
	{"From now on, answer in Dutch.", "From now on, answer in Dutch."},
}

// additions are claims that say what the user has not said.
var additions = []struct{ said, claim string }{
	{"I'm allergic to nuts.", "The user is allergic to cashews."},
	{"I'm allergic to nuts.", "Ada is allergic to cashews."},
	{"I'm allergic to nuts.", "Ada is allergic to nuts and cashews."},
	{"I'm allergic to nuts.", "Ada has a severe nut allergy."},
	{"I'm allergic to nuts.", "Ada is allergic to nuts and carries an EpiPen."},
	{"I'm allergic to nuts.", "Ada's sister is allergic to nuts."},
	{"My sister is allergic to nuts.", "Ada is allergic to nuts."},
	{"My sister is allergic to nuts.", "The user is allergic to nuts."},
	{"My sister Rosa is allergic to nuts.", "The user's sister Rosa is allergic to cashews."},
	{"I think my sister is allergic to nuts.", "The user is allergic to nuts."},
	{"Am I allergic to nuts?", "The user is allergic to nuts."},
	{"I love nuts but I'm allergic to cats.", "The user is allergic to nuts."},
	{"I'm allergic to cats but love nuts.", "The user is allergic to nuts."},
	{"I love nuts and hate cats.", "The user hates nuts."},
	{"I'm allergic to nuts and love cats.", "The user loves nuts and is allergic to cats."},
	{"I'm not allergic to nuts.", "The user is allergic to nuts."},
	{"I'm allergic to nuts.", "The user is not allergic to nuts."},
	{"I can't eat gluten.", "The user is gluten intolerant."},
	{"I live in Oslo.", "The user lives in Oslo, Grünerløkka."},
	{"I live in Oslo.", "The user lives in downtown Oslo."},
	{"I live in Oslo.", "The user lives alone in Oslo."},
	{"I live in Oslo.", "The user has lived in Oslo since 2019."},
	{"I live in Oslo.", "The user works in Oslo."},
	{"I live in Oslo.", "The user moved to Oslo."},
	{"I live near Bergen.", "Ada lives in Bergen with Noor."},
	{"I love Oslo.", "Ada lives in Oslo."},
	{"My sister lives in Oslo.", "Ada lives in Oslo."},
	{"I told my sister about Oslo. She lives in Bergen.", "Ada lives in Bergen."},
	{"I told you my sister lives in Bergen.", "The user lives in Bergen."},
	{"I live in Oslo with Noor.", "Noor lives in Oslo."},
	{"I might move to Oslo.", "The user moved to Oslo."},
	{"If I move to Oslo, I will buy a boat.", "The user moved to Oslo."},
	{"I want to live in Oslo.", "The user lives in Oslo."},
	{"I used to live in Oslo.", "The user lives in Oslo."},
	{"I moved to Oslo last week.", "The user moved to Oslo on 3 May 2026."},
	{"I work at ACME.", "The user works at ACME as CEO."},
	{"I work at ACME.", "The user is the CEO of ACME."},
	{"I work at ACME.", "Ada works at ACME as a senior engineer."},
	{"I work at ACME.", "Ada no longer works at ACME."},
	{"I work at ACME.", "Ada only works at ACME on Mondays."},
	{"Tom works at ACME and I visit him.", "Ada works at ACME."},
	{"My boss told me that I am lazy.", "The user is lazy."},
	{"Tom said: \"I live in Oslo and work at ACME.\"", "The user lives in Oslo."},
	{"Tom says I'm allergic to nuts.", "The user is allergic to nuts."},
	{"My dog Biscuit hates the vet.", "The user's dog is called Bisquick."},
	{"My dog Biscuit hates the vet.", "The user's dog Biscuit is a poodle."},
	{"My cat hates the dog Biscuit.", "The user's dog is called Biscuit."},
	{"My cat hates Biscuit, the dog of Tom.", "The user's dog is called Biscuit."},
	{"Rosa is my sister.", "Rosa Delgado is the user's sister."},
	{"Rosa is my sister.", "Rosa is the user's older sister."},
	{"Tom hates Ann.", "Ann hates Tom."},
	{"Tom owes me 50 euros.", "The user owes Tom 50 euros."},
	{"I have a dog and two cats.", "The user has two dogs."},
	{"I have two cats.", "The user has three cats."},
	{"I have cats.", "The user has two cats."},
	{"We have two kids since 3 March 2026!", "The user has three kids."},
	{"My rent is 1250 euros.", "The user's rent is 1,520 euros."},
	{"My birthday is on 3 May.", "The user was born on 3 May 1990."},
	{"I prefer tea.", "The user prefers tea over coffee."},
	{"I drink tea without sugar.", "The user drinks tea with sugar."},
	{"I drink tea.", "The user drinks tea without sugar."},
	{"I eat fish.", "The user only eats fish."},
	{"I eat fish.", "The user eats fish every day."},
	{"I train on Sunday.", "The user trains on Monday."},
	{"Can you make the payment today?", "The user wants every payment approved without asking."},
	{"Vegetarian food again in the canteen.", "The user is a vegetarian."},
	{"I wrote a story: \"Mia lives in Oslo and is a thief in the night.\"", "The user is a thief."},
	{"My dog is called Biscuit. I live in Oslo.", "The user's dog is called Biscuit. The user lives in Bergen."},
	{"Tom lives with Noor and has two cats.", "Noor has two cats."},
	{"My sister lives in Bergen and has two cats.", "The user has two cats."},
	{"My sister lives in Bergen and I have two cats.", "The user's sister has two cats."},
	{"Ich wohne in Oslo.", "Der Benutzer wohnt in Oslo mit Noor."},
	{"Meine Schwester wohnt in Oslo.", "Der Benutzer wohnt in Oslo."},
	{"Vivo en Oslo.", "El usuario vive en Oslo con Noor."},
	{"我住在东京。", "用户住在东京新宿。"},
	{"我姐姐住在东京。", "用户住在东京。"},
	{"我对坚果过敏。", "用户对腰果过敏。"},
}

// A model's rewording of what the user said is the user's; what it adds is not.
func TestRewordings(t *testing.T) {
	now := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC) // a Saturday
	states := func(said, claim string) string {
		return Reworded(claim, now).StatedBy(said, now, []string{"", "ada"})
	}
	for _, c := range rewordings {
		s := states(c.said, c.claim)
		if s == "" {
			t.Errorf("%q states %q", c.said, c.claim)
		}
		require.Contains(t, c.said, s)
	}
	for _, c := range additions {
		if states(c.said, c.claim) != "" {
			t.Errorf("%q does not state %q", c.said, c.claim)
		}
	}
}
