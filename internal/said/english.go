package said

import "strings"

// englishRows are the patterns of English. Verbs are in the first person singular.
const englishRows = `
// wishes: how the assistant should be
call me X : name func wish is=name clear
address me as X : name func wish clear
please? answer|reply|respond|write|talk|speak to|with? me? in #language : answer_language func wish clear
I want|like|prefer your? answers|replies|responses in #language : answer_language func wish clear
please? answer|reply|respond|write|explain|talk|speak to|with? me? X : answer_style func wish is=manner clear
please? be X : answer_style func wish is=manner
please? keep your|the|all|it|answers|replies|responses|things answers|replies|responses|messages|explanations? X : answer_style func wish is=manner
please? keep your? answers|replies|responses under|below|within X : answer_style func wish words=1-8
I|please? prefer|like|want|give|write me|your? X answers|replies|explanations|responses : answer_style func wish is=manner
please? give|write me? Z , X answers|replies|explanations|responses : answer_style func wish is=manner
please? use|give|show|quote X units|measurements|measures : units func wish words=1-8
please? use|give|show|quote|convert|state everything|measurements|temperatures|distances|weights|prices|amounts? in? X : units func wish is=unit
I prefer|use|want X units|measurements : units func wish words=1-8
I prefer|use|want X : units func wish is=unit
please? do? not|never|stop|avoid|no use|using|writing|adding|with? any|the|so_many? emojis|emoji|emoticons|smileys : emojis func wish value=none
you can|may use|add|send|include X again|now? : emojis denied wish is=emoji
you can|may give|write|send|make me|your? X answers|replies|responses|messages|explanations again|now? : answer_style func wish is=manner
you do? not need|have to keep|make your|the answers|replies|responses|messages|explanations so? X : answer_style denied wish is=manner
please? stop suggesting|recommending|using|calling|mentioning|asking|sending|apologising|apologizing X : should_not wish adds
always|only X : should wish adds is=ordered clear
from_now_on|in_future|going_forward ,? please? X : should wish adds is=imperative clear
whenever|when|every_time I ask X , X : should wish adds is=imperative
I want|need|expect|like|prefer you|it to always|never|only X : should wish adds clear
you should|must always|never X : should wish adds

// corrections
her|his|their name is|was X : name func subject=she is=name
I|it|that is|meant X , not Y : it func change subject=it is=correction

// name, age, birth
MY name is X : name func clear is=name
I am called|named X : name func is=name
I am X years_old : age func clear is=number
I am X : age func is=age clear
I have? turned X : age func change is=age
MY birthday is|falls on? the? X : birthday func trait clear is=date
I was|am born on X : birthday func trait clear is=date
I was|am born and? raised? in X : born_in func trait clear is=place
I grew_up in X : grew_up_in func trait clear is=place
I am|come|hail from X originally? : from func trait clear is=place

// residence
I live|living at X : address func clear is=digits deniable
I am|have? been? live|living|reside|residing|based|located right? in|at|near|on|outside X : lives_in func clear is=place deniable
I live alone : lives_with func value=nobody
I have? moved|relocated from Y to X : lives_in func change clear elide is=place
I have? moved|relocated back? to|into X : lives_in func change clear elide is=place
new|the_new place|home|flat|apartment|house is in|at|on X : lives_in func change clear is=place
MY place|home|flat|apartment|house is in|at|on X : lives_in func clear is=place

// work
I work as a|an? X at|for|in Z : works_as func clear words=1-8
I have? been? work|working|employed as a|an? X : works_as func clear words=1-8
I am|have? been? work|working|employed at|for X : works_at func clear is=place deniable
I am|have? been? employed by X : works_at func clear is=place deniable
I work in X : works_in func is=field deniable
I work nights|shifts|night_shifts|remotely|part-time|part_time|full-time|weekends|from_home : works_hours func habit value=x
I left|quit|leave Y and|, now? am now? a member at|of X : member_of change elide
I left|quit|leave Y to|and|, now? joined|join|am|work|working|moved at|for|to? X : works_at func change elide clear is=name
I left|quit MY? old? job|position|role at|with X : works_at denied change clear elide
I quit|left|lost|gave_up MY job : works_at denied change elide clear
I have? started|got|landed|found|took a|an|MY? job|position|role at|with X : works_at func change elide clear
I have? started working at|with|for X : works_at func change clear elide is=place
I have|got|was|have_been? started|hired|employed at|with|by X : works_at func change clear is=proper
I have|got a? second|another|side|extra job at|with|as a? X : works_at adds words=1-8
I got|was|have_been promoted to X : works_as func change clear
I switched|changed jobs|job ,|and|to|: now? at|am|work|to? X : works_at func change elide
I retired : works_as func change value=retired elide
I am|have|got|was? retired|unemployed|between_jobs|out_of_work|self-employed|self_employed|freelance|a_freelancer|laid_off|fired : works_as func value=retired
I run|own MY|a own? X? business|shop|company|bakery|restaurant|cafe|store|studio|practice|farm : owns_business func
I am? study|studying|majoring|major at X : studies_at func is=place
I am? study|studying|majoring|major in? X : studies func is=studies
MY major|minor is|was? in X : studies func is=field

// vehicles, belongings
I sold MY|the|our old? @thing and|, got|bought|have|get a|an? X instead? : $ func change elide clear
I sold MY|the|our old? Y and|, got|bought|have|get a|an? X instead? : owns change elide clear
I sold|scrapped|got_rid_of|gave_away MY|the old? @thing : $ denied change elide clear
I sold|got_rid_of|gave_away MY|the old? X : owns denied change elide is=name
I traded|swapped|exchanged|replaced in? MY|the old? Y for|with a|an? X : owns change elide
I have? got|bought|have|own a|MY new @thing ,|:|– X : $ func change elide is=noun
I drive|driving a|an|MY X : car func clear words=1-8 deniable
I not drive any_more? : car denied
I ride a|an|MY X : bike func words=1-8
I not have|own a|an|any @thing : $ denied clear
I not have|own MY @thing any_more|anymore : $ denied change clear
I own a|an|two|three|four|several X : owns adds words=1-8
the? new @thing :|is|= X : $ func change is=noun
@thing|role :|= X : $ func reported
MY @thing changed|has_changed to|, it_is? X : $ func change

// people
MY @bearer is|am called|named X : $ func clear is=name
MY @kin|pet is|am X : $ adds is=proper
MY @bearer 's_name_is|goes_by X : $ func clear
MY @pet is|am a|an X : pet_breed adds subject=$ words=1-8
MY @role is|am X : $ func clear is=name
MY @kin|role ,|:|– X : $ func is=entire
I have|got a|an|another|one|an? older|younger|big|little? @kin , X : $ adds is=proper
I have|got|adopted a|an|another|one older|younger|big|little|new|rescue|old? @kin|pet called|named X : $ adds clear
I have|got|adopted a|an|another|one X @pet called|named X : $ adds clear
I have|got|found|am_seeing a|MY|an new? @role ,|called|named|– X : $ func change is=name
I have? changed|switched|change @role ,|to|:|and|– it_is|now? X : $ func change elide is=name
I see|go_to|am_seeing X as|for MY @role : $ func
X is|am MY @role : $ func is=name clear
X is|am MY @kin|friend|pet : $ adds is=proper clear
I have|got a|an|one|two|three|four|five|six|several|many older|younger|big|little? #kin : has_family adds clear
I have|got a|an|one|two|three|four|five|six|several X? #pet : has_pet adds elide clear
I have? adopted|got|rescued a|an|two|another new? #pet : has_pet adds change elide
I have no #pet : has_pet denied
I have no #kin : has_family denied
I have|am? died|passed_away|put_down|put_to_sleep|been_put_down|been_put_to_sleep|had_to_be_put_down : died denied change
I have? moved_out : gone denied change
I had_to|have_had_to have|put X put_down|put_to_sleep|down|to_sleep : lost denied change is=close
I have? lost X : lost denied change is=close
I am? married to X : spouse func clear
I am engaged to X : fiance func clear
I am dating|seeing X : partner func is=name
I broke_up|split_up with X : partner denied change elide
I and MY @role broke_up|split_up : $ denied change
I am a|an? #status : marital_status func clear
I got|have #status : marital_status func change clear elide
I am a|an? single|new|proud? mother|father|mum|dad|mom|parent : has_family adds value=parent

// health and diet
I am not allergic|intolerant to X : allergic_to denied change
I am? allergic|intolerant to X : allergic_to adds clear elide is=like
I am X intolerant : allergic_to adds
I have|developed|have_developed a|an severe|bad|mild|serious|strong|nasty? allergy|intolerance to X : allergic_to adds clear
I have a|an|MY? severe|bad|mild|serious|strong? X allergy|intolerance : allergic_to adds clear
I can|am not|never allowed_to|supposed_to? eat|have|drink|tolerate|digest X : cannot_eat adds clear is=like
I do? not|never eat X : cannot_eat adds clear is=food
I do? not|never drink|smoke : does_not adds value=drink
I do? not|never drink X : does_not_drink adds clear is=like
I have? stopped eating|drinking X : cannot_eat adds change elide is=food
I have? quit|gave_up|given_up|packed_in|stopped|finished_with going_to|playing|doing? MY|the? @activity class|lessons|practice|training? : schedule denied change elide subject=$
I have? packed|given|gave MY|the? @activity in|up : schedule denied change elide subject=$
I have? quit|gave_up|given_up eating|drinking? X : cannot_eat adds change elide is=food
I quit|stopped smoking|drinking : does_not adds change value=smoke elide
I eat|drink X again|now : eats change adds is=like
I am|become|became|have_become|have_gone|went|go a|an|on_a? strict|strictly? #diet : diet func clear deniable
I eat|follow a|an|MY? strict|strictly? #diet diet|food? : diet func clear
I follow|am_on a|an X diet : diet func
I have|live_with|got|suffer_from #condition : has_condition adds clear
I am|became a|an? #condition : has_condition adds clear
I was|am|have_been|got diagnosed with X : has_condition adds change clear
I take X for MY X : takes adds
I take X every|each|daily X? : takes adds habit
I take|have|need|am|was|have_been put|started|moved? back? on? MY|the? @drug X : $_dose func elide clear is=dose
I take|have|need|am_on|am_down_to|am_up_to X of? MY|the? @drug : $_dose func elide clear is=dose
MY|the? @drug is|am|has|has_been|has_gone|got gone|put|raised|increased|lowered|reduced|cut? up|down|back? at|to|from? X : $_dose func clear is=dose
MY|the? he|she|they|doctor|doc|gp|consultant|nurse|hospital|clinic|cardiologist|pharmacist has|have|is|are? put|raised|upped|increased|lowered|reduced|dropped|cut|halved|doubled MY|the? @drug up|down|back? to X : $_dose func change clear is=dose
@drug X : $_dose func is=dose
I have? stopped|came_off|come_off|finished|quit taking? MY|the? @drug : $_dose denied change elide
he|she|they have|has|is|are? took|taken me off MY|the? @drug : $_dose denied change

// codes and prices
the|our|MY? new? wifi|wi-fi|wlan password|code|key? is|am|:|= now? X : wifi_password func is=code
the|our? N code|pin|passcode|password|combination is|am|:|= now? X : $_code func clear is=code
the|our? code|pin|passcode|password|combination for|to the|our? N is|am|:|= now? X : $_code func clear is=code
I pay|paying X a|per|each|every day|week|fortnight|month|quarter|term|year|session|visit|lesson for MY|the? N : $_price func elide is=digits
MY|the? N costs|cost now? me|us|I? X a|per|each|every day|week|fortnight|month|quarter|term|year|session|visit|lesson : $_price func is=digits
MY|the? N is|am X a|per day|week|fortnight|month|quarter|term|year|session|visit|lesson now? : $_price func is=digits

// languages
I not speak X : speaks denied is=upper
X is not MY|for thing|cup_of_tea|style|me : dislikes pref adds is=like
I speak X : speaks adds clear is=upper
I am fluent|native|bilingual in X : speaks adds clear
I am? learning|studying|practising|practicing #language : learns adds
I have been learning|studying #language : learns adds
I have? started learning|taking|to_learn X lessons|classes? : learns adds change elide

// membership, schedules
I am? a|an|MY? proud? member of X : member_of adds clear deniable
I have? switched|changed|moved MY|the @thing to|over_to X : $ func change elide is=noun
I have? switched|changed @place ,|:|to|and|– now? at|am_now_at|it_is|to? X : $ func change elide
I have? joined|signed_up_at|signed_up_with X : member_of adds change is=place clear elide
I cancelled|canceled|quit|gave_up MY X membership : member_of denied change elide
I train|work_out|exercise|working_out at X : gym func is=place
I wear|take size X : size func words=1-8
I wake_up|get_up|get_out_of_bed at X : wake_up_time func habit is=number
I go_to_bed|go_to_sleep at X : bedtime func habit is=number
MY? @activity class|lesson|lessons|practice|training|night|session|sessions? is|am|are now? on|at|every X : schedule func subject=$ habit is=day clear
MY? @activity class|lesson|lessons|practice|training|night|session|sessions? has|have|was|got|is been? moved|changed|switched|rescheduled|gone Z? to|on X : schedule func subject=$ habit change is=day clear
I have? moved|switched|changed MY|the? @activity class|lesson|lessons|practice|training? to X : schedule func subject=$ habit change is=day
I have|do|go|going|go_to|attend|practise|practice|take|play|going_to MY|a? @activity class|lesson|lessons|practice|training|classes|sessions|session? on|every X : schedule subject=$ habit is=day clear
N is|are now? on? X : schedule func subject=$ habit is=days
MY|the? N goes_out|go_out|is|are|gets|get collected|emptied|picked_up? on? X : schedule func subject=$ habit is=days
MY? @activity on|every? X : schedule func subject=$ habit is=days
MY day|days off is|are on? X : days_off func is=day

// dated events
MY N is|starts|takes_place on|the? X : $ event func is=date
I am getting_married on X : wedding event func is=date
I am? fly|flying|travelling|traveling to X on X : trip plan is=date

// likes
MY favourite|favorite|fave|fav|go-to|preferred N is|are|has_always_been|has_to_be X : favourite_$ func pref clear
MY favourite|favorite|fav of_all? is|are X : likes adds pref is=name
one of MY favourite|favorite|fave|go-to N is|are|has_always_been X : likes adds pref clear
X is|are|am|has_always_been|have_always_been one_of? MY all-time|all_time|absolute|new? favourite|favorite|go-to N : favourite_$ func pref is=like
X is|are one_of MY favourites|favorites : likes adds pref is=like
X is|am|has_always_been MY passion|hobby : passion adds pref is=like
MY hobby|hobbies|interests|passions|passion is|are|has_always_been|include|includes X : hobby adds pref is=like clear
I prefer|favour|favor X : prefers pref adds clear is=like
I not prefer|care_for X : dislikes pref adds is=like
I am? a|an|MY|such_a? big|huge|massive|great|real|die-hard|lifelong|avid|not_a? fan|sucker|lover of|for X : likes deny=dislikes pref adds elide clear is=like
I am not too? much? of? a? fan of X : dislikes pref adds is=like
I have a|an|MY? particular|strong|keen|great|deep|real? interest|passion|love|weakness|soft_spot in|for X : likes pref adds is=like
X is|has_always_been a|my? favourite|favorite|fave of mine : likes pref adds is=like
another|the? one|thing|N? I love|like|enjoy is X : likes pref adds is=like
I am? a|an X fan|lover|enthusiast|buff|addict|nerd|geek|person|junkie|fanatic : is trait pref adds is=trait deny=dislikes
I am more of a X : prefers pref adds is=like clear
I am|have_been? into|passionate_about|crazy_about|enthusiastic_about|mad_about|keen_on|hooked_on|fond_of|interested_in|fascinated_by|captivated_by|obsessed_with|in_love_with|addicted_to X : likes pref adds is=like deny=dislikes clear
I have|had? always|been? loved|enjoyed|liked|adored X : likes pref adds is=always
I love|like|enjoy|adore|loving|enjoying X : likes deny=dislikes pref adds clear is=like
I hate|dislike|despise|detest|loathe|abhor X : dislikes deny=likes pref adds clear is=like
I can not stand|bear|abide|stomach X : dislikes pref adds clear is=like
I am? scared|afraid|terrified|frightened|phobic of X : fears adds is=like
I am? an? only_child|left-handed|right-handed|colour-blind : is trait adds value=x
I am? a|an early_bird|night_owl|morning_person|introvert|extrovert|only_child|vegetarian|late_riser|light_sleeper|perfectionist|homebody|people_person|dog_person|cat_person|minimalist : is trait adds value=x

// habits and occupations
I am a|an|the X : works_as func is=person clear
I became|become a|an X : works_as func change is=person clear
I am learning|trying_to_learn how? to? X : learns adds is=like
I am training|preparing|studying for X : preparing_for adds is=like
I am saving up? for X : saving_for adds is=like
I am writing a|an|MY X : writing adds words=1-5
I use X for X : uses adds is=name
I am? use|using|been_using X : uses adds clear is=name
I have? switched|moved|changed from Y to X : uses change func elide clear
I have? switched|changed to|over_to X : uses change adds elide clear is=noun
I work from home X : works_from_home habit
I wear glasses|contact_lenses|contacts|hearing_aids|a_hearing_aid : wears adds value=glasses
I can not swim|drive|cook|dance|ski|ride_a_bike|sing : cannot adds value=x
I bank with X : bank func elide is=name
I am a native #language speaker : native_language func
I work|working on|from X : works_days func habit is=days
I am the? oldest|youngest|middle of X : sibling_order trait
I volunteer|volunteering at|for|with X : volunteers_at habit adds is=like clear
I cancelled|canceled|quit|gave_up MY @place? membership at|with X : member_of denied change elide
I take|drink|have|like MY tea|coffee|steak|eggs|whisky|pizza X : % adds pref words=1-8
I play|collect|teach|coach|breed|sing|knit|wear|practise|practice|volunteer|support|follow|subscribe|tutor at|for|with|in|to? X : % habit adds is=like clear deniable
I have been playing|collecting|teaching|coaching|volunteering|practising|practicing|painting|running|writing|training|dancing|climbing|surfing X : % habit adds is=like
I have|am? starting|starting_to|taking_up|started|began|begun|took_up|taken_up|picked_up X : does habit change adds elide is=pursuit
I am always on_the_lookout for X : interested_in pref adds
I go|run|swim|cycle|jog|walk|cook|bake|read|watch|drink|eat|meet|visit|attend|take|do|make|spend|write|paint|train|work|start|call|see|listen|keep|try|buy|skip|start|order|get|meditate|exercise|hike|travel|commute|practice|babysit|study|play|help|host|celebrate|garden|pray X : % habit adds is=habit clear
I am always X : is habit adds is=ing
I go|run|swim|cycle|jog|walk|meditate|exercise|pray|journal|garden every|each|on|twice|once|three_times X : % habit adds

// status of things, open nouns
MY N is|are called|named X : $ func clear
MY @thing is|am|are X : $ func is=noun clear
MY N is|are X : $ func is=value
`

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
	l.blocks = phrasesOf("of_laughter of_embarrassment of_boredom of_shame would could might maybe perhaps possibly should wish wished hope hoping if unless used_to going_to gonna will want wanted wanna i_may we_may may_be may_have think thinking guess suppose reckon assume considering_moving planning_to plan_to planning_on apparently supposedly almost nearly as_if feel_like feels_like seems seem seemed back_then as_a_kid as_a_child when_i_was when_we_were someday some_day one_day dreamt dreamed dream_about dream_of imagine pretend not_sure unsure not_certain probably about_to tempted had_i so_so had_been at_first briefly_considered thought_about hopefully ex allegedly depending were_i about_whether whether tired_of_hearing doubt i_am_told rumour rumor until_i before_i obviously_not tomorrow next_week next_month next_year")
	l.passing = phrasesOf("yesterday last_night this_morning tonight today this_afternoon this_evening just_now right_now at_the_moment this_time a_while_ago earlier the_other_day")
	l.blocks.add("will_always", flagAlways)
	l.ends = phrasesOf("because since so which who whom where when while although though if unless as that but after before until till thanks_to due_to so_that even_though for_the_past for_the_last for_years for_a_while for_about for_over for_almost for_more_than for_a_few for_many for_some for_two for_three for_four for_five for_six for_seven for_eight for_nine for_ten for_now for_the_time last_week last_month last_year last_summer last_spring last_winter last_autumn last_fall last_weekend this_week this_month this_year in_january in_february in_march in_april in_may in_june in_july in_august in_september in_october in_november in_december two_years three_years two_weeks three_weeks two_months three_months a_week_ago a_month_ago a_year_ago a_few_weeks a_few_months a_few_years five_years four_years six_years ten_years about_a_year about_two a_couple yesterday today from_today from_tomorrow and_i and_my and_we and_it and_they and_that is am are was were because_of whenever wherever despite instead_of rather_than hence therefore with_my")
	l.trails.add("btw by_the_way tho though please at_the_moment personally a_lot so_much very_much right_now already for_now haha lol myself actually of_course for_sure to_be_honest tbh then anyway generally mostly especially it_seems you_know really most the_most best all_the_time , . : more_than_anything most_of_all", 0)
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
