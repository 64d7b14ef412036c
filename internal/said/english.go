package said

import (
	_ "embed"
	"strings"
)

// englishRows are the patterns of English. Verbs are in the first person singular.
//
//go:embed patterns/en.txt
var englishRows string

func english() *lexicon {
	l := &lexicon{
		subjects:    wordSet("i we"),
		possessives: wordSet("my our"),
		plural:      map[string]string{"are": "am"},
		third:       map[string]string{"takes": "take", "starts": "start", "is": "am", "has": "have", "does": "do", "goes": "go", "was": "was", "prefers": "prefer"},
		thirdForms: func(w string) []string {
			if len(w) < 3 {
				return nil
			}
			if base, ok := strings.CutSuffix(w, "y"); ok && !strings.ContainsAny(base[len(base)-1:], "aeiou") {
				return []string{base + "ies"}
			}
			return []string{w + "s", w + "es"}
		},
		prefixes: wordSet("in on at for since after during with every these this lately nowadays as most each by from within around usually to of near about into over under between through without like via per than"),
		articles: wordSet("a an the some any"),
		vague:    wordSet("it this that these those them him her you your me us he she they something anything everything nothing someone somebody anyone everyone one ones thing things lot lots bit bunch way ways stuff what how why who when where whether more less much many next other another same such not here there so too problem problems question questions guess point advice opinion thought thoughts idea ideas concern concerns feeling code function error issue issues plan plans turn fault day night week month year time first last only best worst biggest main current mess wreck fool kind sort part pleasure honour honor understanding hope wish mind heart life head world everything's suggestion recommendation ton along into excuse response reaction reply answer intention hunch impression step front back tears mood case reason rest nightmare disaster joke hell shambles pigsty dump lemon nuisance godsend lifesaver wreckage"),
		timely:   wordSet("every daily weekly monthly yearly mornings evenings afternoons nights weekends mondays tuesdays wednesdays thursdays fridays saturdays sundays weekly fortnight twice once each weekdays annually summers winters"),
		olds:     wordSet("old former previous ex"),
		news:     wordSet("new newest latest updated"),
		her:      wordSet("her his their"),
		pronouns: wordSet("he she they you it there who"),
		of:       "of",
		runTogether: map[string][2]string{
			"im": {"i", "am"}, "ive": {"i", "have"}, "dont": {"do", "not"}, "cant": {"can", "not"}, "doesnt": {"does", "not"}, "cannot": {"can", "not"},
			"didnt": {"did", "not"}, "isnt": {"is", "not"}, "wont": {"wo", "not"}, "havent": {"have", "not"}, "hasnt": {"has", "not"}, "wasnt": {"was", "not"}, "weve": {"we", "have"}, "theyve": {"they", "have"}, "theyre": {"they", "are"}, "shes": {"she", "is"}, "hes": {"he", "is"}, "thats": {"that", "is"},
		},
		peopleEnds: []string{"er", "or", "ist", "ian", "ant", "eer", "man", "woman", "person", "nurse", "chef", "cook", "student", "pilot", "lawyer", "dentist", "intern", "assistant", "clerk", "analyst", "judge", "coach", "guide", "agent", "freelancer", "widow", "grad", "graduate", "vet", "surgeon", "architect", "secretary", "mechanic", "electrician", "consultant", "accountant", "scientist", "priest", "pastor", "monk", "nun", "ceo", "cto", "cfo", "dad", "mom", "mum", "parent", "mother", "father", "researcher", "professor", "postdoc", "paramedic", "attendant", "adviser"},
		belongs:    phrasesOf("donor lover owner member smoker non-smoker nonsmoker swimmer runner gamer beginner reader listener drinker eater collector survivor believer sister brother stepsister stepbrother grandmother grandfather godmother godfather teenager foreigner outsider insider user customer subscriber voter supporter follower sufferer dreamer worrier sleeper walker hiker biker climber skier surfer sinner winner loser starter riser newcomer tenant renter neighbour neighbor character monster disaster hater quitter fighter overthinker introvert extrovert beer matter number corner foster minor senior junior major error learner pleaser procrastinator talker thinker snorer crier hoarder spender saver feeler traveller traveler daydreamer homeowner commuter pensioner adopter boomer loner person man woman optimist pessimist realist perfectionist feminist atheist minimalist pacifist socialist communist idealist purist cyclist motorist tourist buddhist immigrant participant teetotaler vegetarian christian libertarian canadian american australian italian brazilian indian russian"),
		traits:     wordSet("tall short small tiny big large fat thin slim skinny old older young younger elderly nice kind lovely sweet great good bad mean rude strict tough hard soft easy lazy smart clever stupid dumb silly funny boring weird odd strange quiet loud shy calm chill cool hot cold warm sick ill unwell poorly sore tired exhausted stressed busy free bored sad happy glad mad angry furious upset cross grumpy moody scared afraid proud jealous worried anxious nervous crazy insane mental alive dead dying gone away back home late early here there abroad blind deaf mute lame frail fit healthy strong weak bald blond blonde ginger dark pale rich poor broke retired unemployed pregnant adopted married single divorced widowed engaged british english irish scottish welsh american french german italian polish dutch greek swiss chinese indian turkish russian ukrainian spanish portuguese brazilian mexican african asian european aries taurus gemini virgo libra scorpio sagittarius capricorn aquarius pisces canadian australian austrian belgian romanian bulgarian croatian serbian hungarian iranian egyptian moroccan nigerian kenyan vietnamese thai filipino colombian argentinian pakistani israeli lebanese muslim christian jewish catholic protestant hindu sikh buddhist gay straight bi trans vegan vegetarian allergic diabetic asthmatic amazing awesome awful terrible horrible brilliant fantastic wonderful fine okay ok alright patient impatient honest loyal fair unfair generous stubborn picky fussy messy tidy clean dirty drunk sober polite pushy bossy friendly annoying useless helpless hilarious ruthless religious serious curious new same right wrong sure ready asleep awake off out due overdue cheap expensive slow fast shut stolen frozen broken filthy up down left-handed right-handed colorblind colourblind"),
		traitEnds:  []string{"ful", "less", "able", "ible", "ous", "ish", "ing"},
		units:      wordSet("metric imperial celsius fahrenheit kilometres kilometers miles kilograms pounds kelvin euros dollars 24-hour 24h"),
		manners:    phrasesOf("bullet_points bulleted british_spelling american_spelling british_english short_sentences plain_language simple_language markdown jargon markdown prose plain-text succinctly succinct long lengthy longer shorter casually politely gently directly slowly technical friendly bluntly blunt one_sentence two_sentences one_paragraph few_words briefly concisely short shortly brief concise formally informally simply simple plain detailed detail honest honestly directly direct polite casual"),
		verbs:      wordSet("use give answer reply respond write format include provide list show call keep add explain check cite confirm mention ask convert start end put translate remind round consider suggest recommend highlight speak avoid report combine double-check tell send spell quote assume sort summarize summarise address refer treat tag describe state note present display offer warn specify define break sign begin finish pick choose send wrap stick prioritise prioritize be skip leave ignore"),
		extra:      "the a an is was with you your have has had it that this what from been are of me do does not will would can could please thanks and to for",
	}
	l.adverbs.add("just really still actually currently recently finally only already officially got part_time full_time part-time full-time do both personally absolutely totally definitely kind_of sort_of quite pretty very super mainly primarily truly honestly simply even happily fully a_bit also_currently basically probably_always then ever genuinely sincerely strictly severely highly deathly terribly extremely mildly slightly now_officially originally particularly especially most myself ourselves both_of_us all", 0)
	l.adverbs.add("not never hardly barely rarely seldom", flagNot)
	l.adverbs.add("no_longer not_any_longer", flagEnds)
	l.adverbs.add("now these_days nowadays lately as_of_today since_yesterday as_of_now since_last_week since_last_month since_this_week", flagNew)
	l.adverbs.add("usually often normally generally typically mostly regularly sometimes frequently tend_to every_day every_morning every_evening every_night every_week every_weekend every_year every_month on_weekends at_weekends", flagHabit)
	l.adverbs.add("always", flagHabit|flagAlways)
	l.adverbs.add("also additionally a_second", flagAlso)
	l.keeps = phrasesOf(toKeep[0])
	l.openers.add(toKeep[0], 0)
	l.openers.add(`well so ok okay oh ah hi hey hello yes yeah yep yup no_, nope btw by_the_way fyi just_so_you_know for_the_record actually remember_that remember please_remember_that please_remember please_note_that please_note note_that keep_in_mind_that keep_in_mind you_should_know_that you_should_know i_should_mention_that i_should_mention i_forgot_to_mention_that i_forgot_to_mention personally honestly to_be_honest tbh update correction sorry good_news big_news news small_update quick_update as_you_know as_i_said as_for_me in_case_it_helps for_context for_reference some_background thanks thank_you i_wanted_to_tell_you_that i_wanted_to_tell_you i_wanted_to_let_you_know_that just_to_let_you_know turns_out unfortunately sadly luckily fun_fact that_is_why because given_that considering considering_that never_forget_that never_forget do_not_forget_that do_not_forget remember_for_good one_more_thing one_thing important heads_up guess_what first second also_note_that you_know i_mean let_me_tell_you about_me about_myself small_correction quick_correction scrap_that forget_that no_wait wait haha hmm ooh wow great cool right sure absolutely of_course it_turns_out_that it_turns_out i_told_you_that did_i_mention_that for_your_information just_fyi save_this for_your_notes please_save_that please_save_this please_keep_in_mind_that please_keep_in_mind i_have_to_say i_want_you_to_know_that i_want_you_to_know i_would_like_you_to_know_that thought_you_should_know i_thought_you_should_know maybe_i_should_mention i_must_say i_must_admit i_have_to_admit what_i_can_say_is_that the_thing_is the_truth_is`, 0)
	l.openers.add("from_now_on going_forward in_future in_the_future starting_today as_of_today", flagNew|flagAlways)
	l.openers.add("please", flagPlease)
	l.openers.add("also plus", flagAlso)
	l.joins = phrasesOf("and but because so since as though although while whereas plus then cause cuz however that_is_why is_why and_so")
	l.asks = phrasesOf("what who where when why how which whose can_you could_you would_you will_you should_i should_we do_you do_i do_we does did_you is_there is_it are_there are_you am_i have_you has_it shall can_i can_we could_i any_ideas any_tips any_advice any_suggestions any_recommendations got_any tell_me help_me let_me_know isn't is_this is_that is_my are_these are_my does_that can_this what's right could_we would_it is_the are_the")
	l.blocksAll = phrasesOf("imagine pretend let_us_say suppose what_if once_upon roleplay role-play role_play in_the_story in_my_novel in_my_story my_character the_character my_protagonist my_narrator hypothetically they_say i_heard people_say yeah_right just_kidding jk joking kidding sarcasm in_a_parallel_universe in_another_life in_my_dream in_my_dreams in_this_scenario in_the_scene legend_has_it rumour_has_it rumor_has_it lol_no not_really as_a_joke oh_sure oh_great sure_sure oh_joy oh_yes_sure")
	l.blocks = phrasesOf("of_laughter of_embarrassment of_boredom of_shame would could might maybe perhaps possibly should wish wished hope hoping if unless used_to going_to gonna will want wanted wanna i_may we_may may_be may_have think thinking guess suppose reckon assume considering_moving planning_to plan_to planning_on apparently supposedly almost nearly as_if feel_like feels_like seems seem seemed back_then as_a_kid as_a_child when_i_was when_we_were someday some_day one_day dreamt dreamed dream_about dream_of imagine pretend not_sure unsure not_certain probably about_to tempted had_i so_so had_been at_first briefly_considered thought_about hopefully ex allegedly depending were_i straight_out_of right_out_of fresh_out_of straight_from_school straight_from_college straight_from_university straight_after_school straight_after_college straight_after_university about_whether whether tired_of_hearing doubt i_am_told rumour rumor until_i before_i obviously_not tomorrow next_week next_month next_year")
	l.passing = phrasesOf("yesterday last_night this_morning tonight today this_afternoon this_evening just_now right_now at_the_moment this_time a_while_ago earlier the_other_day")
	l.blocks.add("will_always", flagAlways)
	l.ends = phrasesOf("because since so which who whom where when while although though if unless as that but after before until till thanks_to due_to so_that even_though for_the_past for_the_last for_years for_a_while for_about for_over for_almost for_more_than for_a_few for_many for_some for_two for_three for_four for_five for_six for_seven for_eight for_nine for_ten for_now for_the_time last_week last_month last_year last_summer last_spring last_winter last_autumn last_fall last_weekend this_week this_month this_year in_january in_february in_march in_april in_may in_june in_july in_august in_september in_october in_november in_december two_years three_years two_weeks three_weeks two_months three_months a_week_ago a_month_ago a_year_ago a_few_weeks a_few_months a_few_years five_years four_years six_years ten_years about_a_year about_two a_couple yesterday today from_today from_tomorrow and_i and_my and_we and_it and_they and_that is am are was were because_of whenever wherever despite instead_of rather_than hence therefore with_my")
	l.trails.add("btw by_the_way tho though please at_the_moment personally a_lot so_much very_much right_now already for_now haha lol myself actually of_course for_sure straight_away right_away at_once immediately altogether completely entirely to_be_honest tbh then anyway generally mostly especially it_seems you_know really most the_most best all_the_time , . : more_than_anything most_of_all", 0)
	l.trails.add("now these_days nowadays instead again from_now_on from_here_on from_today from_tomorrow as_of_today going_forward lately in_future", flagNew)
	l.trails.add("anymore any_more any_longer", flagEnds)
	l.trails.add("too as_well in_addition", flagAlso)
	l.instead = phrasesOf("instead_of rather_than in_place_of and_no_longer")
	l.nots = phrasesOf("not and_not no_longer")
	l.reports = phrasesOf("said says wrote writes told tells goes reads asked asks answered replied shouted whispered claims claimed texted posted quote")
	l.reasons = phrasesOf("because since as considering given given_that considering_that cause cuz especially_since")
	l.over = phrasesOf("over to than above more_than")
	l.notButs = [2]phrases{phrasesOf("not"), phrasesOf("but ,_but")}
	l.reacts = phrasesOf("to_say_it saying it this that these those your you yours him her them his their how what when where hearing seeing to_hear to_see reading_your knowing being_able having_you chatting talking_to meeting_you being_around_you spending_time_with_you everything all_of both each_other one_another more one such that's to_say to_think to_think_about to_know to_imagine to_be_able to_be_sure going_through having_to idea question every_minute every_second working_with_you to_call")
	l.users = phrasesOf("the_user this_user user the_person the_human the_customer the_client the_speaker")
	l.people = phrasesOf("nurse chef ceo cto stay-at-home")
	l.patterns = rows(englishRows)
	return l
}
