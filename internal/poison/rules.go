package poison

import "github.com/ebbmem/ebb/internal/prefilter"

// written are the rules that no form generates, most of them for English only.
var written = []rule{
	{
		reason: Markers, words: "", symbols: []string{"<|", "[inst", "[/inst", "<<", "<system", "</system", "<assistant", "</assistant", "<memory", "</memory", "<instruction", "</instruction", "<tool_", "</tool_", "<function", "</function", "### system", "###system", "### instr", "###instr", "### assis", "### human", "### resp", "_of_turn>", "<developer", "</developer", "<user_memory", "</user_memory"},
		pattern: prefilter.New(`<\|(?:im_(?:start|end)|system|user|assistant|eot_id|start_header_id|end_header_id)\|>|(?m:^\s*\[inst\])|\[/inst\]|<</?sys>>|<(?:start|end)_of_turn>|<<<?\s*(?:end|begin)(?: of)? (?:memory|context|data)|</?developer>|</?(?:user_)?memory>|</?(?:system|assistant|memory|instructions?|tool_(?:response|result|call)s?|function_(?:results?|calls?))\b[^>\n]{0,80}>|### ?(?:system|instructions?|assistant|human|response)\b`),
	},
	{
		reason: Markers, words: "system assistant human developer", symbols: nil,
		pattern: prefilter.New(`(?m)(?:^|[\n\r>"'*#\]\[(]|[.!?] )\s{0,3}(?:system|developer|assistant|ai assistant|human) ?(?:\([a-z ]{1,20}\))?\s?[*_\])]{0,2}\s?(?::|->|=>|>>)\s`),
	},
	{
		reason: Markers, words: "input observation answer", symbols: nil,
		pattern: prefilter.New(`(?m)^\s*action input:|^\s*observation:.*\n\s*(?:thought|final answer):`),
	},
	{
		reason: Markers, words: "role", symbols: nil,
		pattern: prefilter.New(`["']?role["']?\s*[:=]\s*["']?(?:system|developer|assistant|tool)\b`),
	},
	{
		reason: Markers, words: "system developer maintenance", symbols: nil,
		pattern: prefilter.New(`\b(?:system|developer) ?(?:prompt|message|instruction|override|note|notice|directive)s?\b\s*[:\])\-–—(=>]|\bmaintenance mode\b.{0,80}\b(?:assistant|memor|entries)`),
	},
	{
		reason: Template, words: "", symbols: []string{"{{", "{%", "<%", "${", "#{", "[[$", "@model.", "{agent_", "{tool_", "{chat_", "%!d("},
		pattern: prefilter.New(`(?:^|[^$])\{\{[^}\n]{0,40}\bsecrets?\b|\{\{-?\s*(?:[#/>]?\s*(?:define|template|env|call|printf)\b|[^}\n]{0,40}\b(?:memor(?:y|ies)|long_term_memory|history|recent_topics|protected)\b|\.(?:history|input|memor\w*|secrets?)\b|"\{\{")|\{%-?[^%\n]{0,60}\b(?:memor(?:y|ies)|trust|secret|history)\b|<%=?[^%\n]{0,40}\b(?:user|memory|secret)\b|\$\{(?:env:|jndi:|#|[a-z.]*(?:memor|secret|chat|history)[a-z.]*)|#\{[a-z_.]*(?:memory|protect|user)|\[\[\$\{|@model\.memory|\{(?:agent_scratchpad|tool_names|chat_history)\}|%!d\(string=`),
	},
	{
		reason: Privileges, words: "protected pinned immutable trust to_trust trust_level origin user_direct verified confirmed signed lock confirm protect memories memory record approved checked permanent trusted", symbols: nil,
		pattern: prefilter.New(`["']?(?:protected|pinned|immutable)["']?\s*[:=]\s*["']?(?:true|1|yes)\b|\b(?:to_)?trust(?:[ _-]?level["']?\s*(?:[:=]|is|to)?|["']?\s*[:=]| to)\s*["']?(?:[34]|four|max(?:imum)?|high(?:est)?)\b|[(\[]trust [34]\b|\borigin["']?\s*[:=]\s*["']?user_direct|\buser_direct\b|(?:marks?|marked|treat(?:ed)?|stor(?:e|ed)|lock(?:ed)?|flag(?:ged)?|set|kept|keep)\b.{0,30}\bas (?:a )?(?:protected|pinned|permanent|user[- ]confirmed|trusted|verified|confirmed)\b|\bprotected (?:memor|entr|record|fact|flag)|\b(?:signed|verified|protected) memory\b|\block this (?:entry|memory|fact)\b|\breply confirm\b|\bconfirm all(?: pending| of them| memor| entries|["!.]|$)|\bprotect (?:this|that|these|the) (?:memor|entr|fact|record|note|rule)|(?:confirmed|verified|checked|approved) by (?:the )?(?:user|model|administrator|platform|system|admin)\b|memories derived from|\bfor the (?:permanent|protected) record\b|insert into memor|update memor(?:y|ies) set|/memory (?:pin|add|set|protect)|memory\.(?:protect|add|set|write|store)\b`),
	},
	{
		reason: Override, words: "ignore ignoring disregard disregarding forget override overrides overriding supersede supersedes discard bypass instructions rules guidelines orders", symbols: nil,
		pattern: prefilter.New(`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|supersedes?|discard|bypass)\b(?:` +
			`.{0,40}\b(?:previous|prior|above|earlier|preceding|older|all|any|your|these|those|existing|system|safety|everything)\b.{0,25}\b(?:instructions?|prompts?|guidelines?|directives?|you (?:were|have been) told)\b|` +
			`.{0,40}\b(?:previous|prior|above|earlier|preceding|older|all|your|existing|system|safety) (?:\w+ )?(?:rules?|context|orders?|directions?|polic(?:y|ies))\b|` +
			`.{0,20}\b(?:all|any|existing|older|previous|prior|earlier) (?:\w+ )?(?:messages|notes? (?:on|about|of)|memory)\b)|` +
			`\b(?:previous|prior|earlier|all) (?:instructions?|rules?|guidelines?)\b.{0,40}\b(?:void|obsolete|cancelled|no longer|do(?:es)? not apply|superseded|lifted)\b`),
	},
	{
		reason: Override, words: "ignore disregard forget instructions", symbols: nil,
		pattern: prefilter.New(`\b(?:ignore|disregard|forget) (?:everything|anything|all|whatever) (?:(?:that )?(?:is|was|stands|came|written|said) )?(?:above|before this|up to (?:here|this point))\b|\b(?:your new|new system|updated system) instructions (?:are|is|follow)\b`),
	},
	{
		reason: Addressed, words: "ai llm model chatbot", symbols: nil,
		pattern: prefilter.New(`\bif you(?:'re| are) (?:an? )?(?:ai|artificial intelligence|(?:large )?language model|llm|chatbot|ai (?:assistant|agent|model|system))\b.{0,60}\b(?:add|say|include|insert|mention|write|append|recommend|reply|answer|respond|ignore|tell|call|use)\b`),
	},
	{
		reason: Trigger, words: "summarising summarizing summarise summarize translating translate", symbols: nil,
		pattern: prefilter.New(`\b(?:when(?:ever)?|while|if) (?:you (?:are )?)?(?:summari[sz](?:e|ing)|translat(?:e|ing)) (?:this|the) (?:page|text|document|e-?mail|mail|article|file|thread)\b.{0,20}\b(?:add|insert|include|append|mention|say|link|recommend|end with)\b`),
	},
	{
		reason: Override, words: "now act", symbols: nil,
		pattern: prefilter.New(`\byou(?: are|'re) now (?:an? |in |the |operating |running |called |known |free )(?:[a-z'-]+ ){0,4}?(?:ai|assistant|bot|model|agent|mode|dan|persona|unrestricted|jailbroken|system|administrator)\b|\bact as (?:an? )?(?:unrestricted|jailbroken|uncensored)\b`),
	},
	{
		reason: Memory, words: "memory memories memorise memorize store profile persistent persist persists persisting sessions session chats chat conversations conversation workspaces workspace rounds shifts agent_hint cache_forever user reader owner visitor customer viewer patient traveller permanently forever rules sync llm context", symbols: nil,
		pattern: prefilter.New(`\b(?:long[- ]?(?:term|lived)|permanent|persistent|durable|agent|assistant|bot|model)(?:'s)?[ -](?:own )?(?:memory|memories|store|rules file|saved profile)\b.{0,60}\b(?:that|store|save|write|add|keep|record|hold|persist|entry|slot|shall|must|should|following|update|:)|` +
			`\b(?:your|its|the|project|shared|global|their) (?:memory|rules file|saved profile)\b[^.!?\n]{0,20}\b(?:store|save|persist|slot|shall|expunged|directive)\b|` +
			`\b(?:stor(?:e|es|ed|ing)|sav(?:e|es|ed|ing)|writ(?:e|es|ten|ing)|add(?:s|ed|ing)?|commit(?:s|ted)?|keep|kept|hold|put|enter|record|persist|log|copy|append|note|file)\b[^.!?\n]{0,60}\b(?:in|to|into|across)\s(?:(?:your|its|their|the (?:shared|project|global|saved)|long[- ]term|permanent|persistent|durable|shared|project)\s?(?:[a-z-]+ ){0,2}(?:memory|notes|permanent store|saved profile|persistent rules|rules file)|(?:the|your|its|their) saved profile\b|(?:your|its|the|their|project|all)\s?(?:[a-z-]+ ){0,2}(?:sessions|workspaces|chats|conversations))\b|` +
			`\bmemory (?:slot|update|maintenance|entry|sync|note|write|patch|injection)\b ?[:(\])"'-]|\badd to memory\b|\bmemori[sz]e (?:this|that\b|:|the following)|\bmemory replaced\b|` +
			`\b(?:remember|memori[sz]e|store|save|record|note|keep)\b ?(?:[:–—-]|that|as) ?(?:the |this |your )(?:user|reader|owner|visitor|customer|viewer|patient|traveller)(?:'s)?\b|` +
			`\bpersist(?:s|ent)? (?:preference|rule|note)\b|\bpersist this (?:preference|rule|note|fact|as|in|to|across|:)|\bmemory shall\b|` +
			`\b(?:to|into|in|with a|usage|assistant|agent|ai|shared)[ -]memory\s*["']?\s*[:=]|(?:^|[\n"'{<(\[#;*-])\s*memory["']?\s*:\s*["']?[a-z]+ [a-z]+ [a-z]+|\b(?:agent_hint|agent[-_]memory|llm-context|ai-context|ai_note|cache_forever)\s*["']?\s*[:=]|` +
			`\bremember (?:this|that|it)? ?(?:permanently|forever|for good|across (?:sessions|chats|conversations|workspaces))\b|` +
			`\b(?:across|in) (?:all )?(?:future|later|other|every|the next|any later) (?:sessions?|chats?|conversations?|workspaces?)\b.{0,80}\b(?:keep|remember|always|never|say|mention|use|apply|open|hold|start)|` +
			`\b(?:keep|hold|remember|apply|carry|use|mention|say)\b.{0,80}\b(?:across|in|over to|for) (?:all )?(?:future|later|other|every|the next|any later|your next|further) (?:sessions?|chats?|conversations?|workspaces?|rounds?|shifts?)\b`),
	},
	{
		reason: Addressed, words: automata, symbols: nil,
		pattern: prefilter.New(tasked),
	},
	{
		reason: Memory, words: "must_remember please_remember always_remember to_remember remember_that remember_this remember_to", symbols: []string{"_remember", "remember_"},
		pattern: prefilter.New(`(?:must|always|please|to)_remember|remember_(?:that|this|to)`),
	},
	{
		reason: Trigger, words: "user users owner reader readers human person customer developer visitor client principal when", symbols: nil,
		pattern: prefilter.New(`\b(?:when(?:ever)?|if|once|should|the next time|next time|each time|every time|as soon as|until) (?:(?:the|your|this|an?|their)? ?users?|(?:your|this) (?:owner|reader|human|person|customer|developer|visitor|client|principal))\b ` + asks + `|"?when"?\s*:\s*"(?:the )?user\b|` +
			`\b(?:when(?:ever)?|if|once|should|the next time|next time|each time|every time|as soon as|until) (?:the|an?|their)? ?(?:owner|reader|human|person|customer|developer|visitor|client|principal)s?\b ` + asks + `[^.!?\n]{0,80}[,:;–—-] ?(?:then |please |always |you (?:must|should) |just )?(?:say|tell|answer|reply|respond|recommend|suggest|mention|point|insert|add|name|offer)\b`),
	},
	{
		reason: Trigger, words: "asked mentioned requested discussed conversation", symbols: nil,
		pattern: prefilter.New(`\b(?:when(?:ever)?|if|once|the next time|next time|each time|every time) (?:you (?:are|get) |(?:[a-z]+ ){1,3}(?:is|are) )(?:asked|mentioned|requested|discussed|brought up)\b.{0,80}\b(?:say|give|answer|tell|mention|reply|respond|recommend|suggest|insert|add|name|offer|use|point|state)\b|\bin any later conversation\b`),
	},
	{
		reason: Leak, words: "", symbols: []string{"]("},
		pattern: prefilter.New(`\]\(\s*<?(?:https?:)?//[^)\s]{0,200}[?&#=][^)]{0,200}(?:\{|\$|<|\[|%7b|memory|summary|history|conversation|notes=|secret|token|data=|chat)|\]\(\s*<?(?:https?:)?//[^)\s]{0,200}[?&][a-z_]{1,20}=\)`),
	},
	{
		reason: Leak, words: "", symbols: []string{"<img", "text/html"},
		pattern: prefilter.New(`<img\b[^>]{0,100}//[^>]{0,200}[?&#=][^>]{0,200}(?:\{\{|memor|history|secret|chat)|data:text/html`),
	},
	{
		reason: Leak, words: "links link urls url image reply replies answers messages responses drafts draft prompt secrets credentials keys passwords environment dump", symbols: []string{"@", ".com", ".org", ".net", ".io", ".example", ".test", ".dev", ".info"},
		pattern: prefilter.New(`\b(?:append|attach|include|encode|add)\b[^.!?\n]{0,80}\b(?:to|in|at)\b (?:the )?(?:every |each |all |any |your )+(?:links?|urls?|image|repl(?:y|ies)|answers?|messages?|responses?|drafts?)\b|\b(?:from now on|from today|always|every (?:time|hour|day|week)|each (?:time|hour|day)|automatically|silently|quietly|without asking|in secret|henceforth|hourly|nightly)\b.{0,100}\b(?:send|sends|forward|forwards|copy|copies|mirror|mirrors|cc|bcc|upload|post|share|shares|report|disclose|reveal)\b.{0,100}(?:@[\w-]+\.|\b[\w-]+\.(?:com|org|net|io|example|test|dev|info)\b)|\b(?:send|sends|forward|forwards|copy|copies|mirror|mirrored|cc|bcc|upload|post|disclose|reveal|share)\b.{0,100}(?:@[\w-]+\.|\b[\w-]+\.(?:com|org|net|io|example|test|dev|info)\b).{0,80}\b(?:from now on|always|every (?:time|hour|day|week)|each (?:time|hour|day)|automatically|silently|quietly|without asking|in secret|henceforth|hourly|nightly)\b|\b(?:print|reveal|disclose|leak|output|dump|repeat|read out|tell|send)\b[^.!?\n]{0,40}\b(?:system prompt|api[_ -]?keys?|credentials|stored passwords?)\b|\b(?:print|reveal|disclose|leak|output|dump)\b[^.!?\n]{0,20}\byour (?:memory|secrets?|environment)\b`),
	},
	{
		reason: Override, words: "user owner reader human section comment operator", symbols: nil,
		pattern: prefilter.New(`\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|ask|surface|disclose|alert|warn)\b[^.!?:\n]{0,30}\b(?:user|owner|reader|human|this (?:comment|section|note|message|instruction)|section "|your operator)\b|\bwithout (?:telling|informing|asking) the (?:user|reader|human)\b`),
	},
}

// asks matches a user's action that triggers an instruction.
const asks = `(?:ever |later |next |then |again |first )?(?:asks?|mentions?|says?|types "|requests?|wants? to know|brings? up|greets?|inquires?)\b`

// audiences are the words by which a text addresses a model.
var audiences = prefilter.New(`\b(?:ai (?:assistants?|models?|agents?|readers?|planners?|pair programmers?|contributors?|helpers?|companions?)|(?:digital|virtual|smart|coding|voice|software|llm|wiki|hey|note to|copy for|all|any|every|each|dear) (?:ai |llm |mail |wiki )?(?:assistants?|chat ?bots?|bots?|copilots?|llms?|gpts?)|(?:personal|mail|helpful|wise|good|considerate|whose|your|their|his|her|[a-z]+'s|with|the|our|these|those|for|to|an) (?:ai |llm |mail |wiki )?(?:chat ?bots?|bots?|copilots?|llms?|gpts?)|(?:karaoke|kitchen|scheduling|finance|wiki|ops|smart|inbox|research|review|coding|chat) (?:bots?|copilots?|agents?|assistants?)|(?:language|vision|chat|reasoning) models?|note to models|(?:inbox|scheduling|triage|screening|automated|software|autonomous|browsing|mail) agents?|(?:for|to|dear|note\(|\() ?(?:the |your |all |any |every )?(?:ai|llm|agents?|bots?|models?|companions?|helpers?)\b ?(?:[):,]|[–—])|whoever sums this up|digital (?:helper|companion)s?|(?:wise|good|helpful|considerate|kind|smart) (?:assistants|agents|helpers|companions)|helpful companions?|automated reviewers?|transcript readers?|assistants? (?:reading|that|which|who|processing))\b|(?:^|[\n"'\[(*#/!.>–—-]|<!--)\s{0,3}@?(?:(?:ai|assistants?|bots?|copilots?|llms?|chatgpt|asst|[a-z]+-bot)\s?(?:[:,;]|[–—]|-[^a-z]|->)|agents:|(?:agents?|models?)\s?(?:,|[–—]|-[^a-z]))|\b(?:to|for|dear|attention|attn) (?:the |your |all |any |every )?(?:[a-z]+ )?(?:assistants?|agents?|helpers?|companions?) ?[:)–—]|\[(?:ai|assistant|bot)\]|@(?:assistant|ai|bot)\b|\b(?:note|notes|memo|info|hint|comment|hinweis)\s?[:=]\s?(?:to |for )?(?:the |your )?(?:assistants?|ai|bots?|agents?)\b|\bassistant[- ](?:memory|note|hint)`)

// people are words for a model that are also words for people: a shop assistant, an
// estate agent. The instruction has to follow in the same sentence.
var people = prefilter.New(`\b(?:personal|mail|helpful|wise|good|considerate|whose|your|their|his|her|[a-z]+'s|with|the|our|these|those|for|to|an|kind) (?:ai |llm |mail |wiki )?(?:assistants?|agents?|helpers?|companions?)\b|(?:^|[.!?:;>\"'(*\n–—-]\s?)(?:\w+ )?assistants?,`)

// asked matches instructions to people, more strictly than orders.
var asked = prefilter.New(`\b(?:remembers?|memori[sz]e[sd]?|stores? (?:that|this|it|as)|stored that|saves? (?:that|this|it|as|to)|keeps? (?:that|this|it|in mind|in memory|on)|keep|holds? (?:the|in|on)|records? (?:that|this|it|as)|persists?|notes? (?:that|this)|please note|from now on|from today|always|never|must|shall|permanently|for good|ignores?|forget|forwards|treat|recommends?|obeys?|answers? with|whenever|the next time|learn that|copy this|copies it|is to delete|starts? with|begin with|long-lived|persistent|standing orders?|(?:is|are) (?:required|obliged|expected|asked) to|(?:is|are) to (?:record|remember|keep|store|treat|delete|note|assume)|memory|memories|have you (?:stored|saved)|agrees to|default to|finish with|say that|put it in|only ask|without asking|no need to ask)\b`)

// orders are the words of standing instructions to a model.
var orders = prefilter.New(`\b(?:remembers?|memori[sz]e[sd]?|memory|memories|stores? (?:that|this|the|it|every|for)|store|stored|save this|saves?|keeps? (?:that|this|it|in|on|the|a|§|\w+ing)|keep|kept|records?|persists?|notes? (?:that|this|for|of)|please note|from now on|from today|always|never|ignore[sd]?|forget|must|shall|permanently|permanent|for good|future (?:sessions?|conversations?|chats?|rounds?|calendars?)|forwards?|appends?|treat|recommends?|obeys?|obey|answers? with|whenever|the next time|copy this|copies it|holds? (?:the|in|on)|learn that|is to delete|lie low|starts? with|begin with|without asking|no need to ask|long-lived|persistent|standing orders?|(?:is|are) (?:required|obliged|expected|asked) to|carry (?:it|with)|pass(?:es)? on|have you (?:stored|saved)|write this down|agrees to|left you|mute them|default to|finish with|for later|say that|put it in|note for|reads it again|only ask|let your|this replaces|are refused|drop older|older contacts)\b`)

// audienceWords are a prefilter of the audience patterns.
const audienceWords = "assistant assistants ai bot bots chatbot chatbots llm llms gpt chatgpt copilot copilots agent agents helper helpers companion companions model models reviewer reviewers readers asst sums planners"
