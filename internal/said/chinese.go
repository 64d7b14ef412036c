package said

import "strings"

// chineseRows are the patterns of Chinese, in simplified characters. Traditional
// characters are simplified before matching.
const chineseRows = `
// wishes
请|以后|以后请|你以后|你可以|就|今后? 叫|称呼 我 为? X 就行|就好|吧|即可? : name func wish words=1-12 clear
请|以后|以后请|麻烦|请你|你? 都|一律|始终|总是|一直|全程|只? 用 #language 回答|回复|跟我说话|写|和我交流|交流|我? 我? : answer_language func wish clear
请|以后|以后请|麻烦|请你|你? 回答|回复 时|的时候|我? 请|都? 用 #language : answer_language func wish clear
请|以后|以后请|麻烦|请你|你? 回答|回复|回我话|回我|说话|解释|讲|答复 时|的时候|我|问题|得|要|请|都|尽量|一定要|可以|能? 要|请|尽量|得? X : answer_style func wish is=manner clear
请|以后|以后请|麻烦|请你|你? 尽量|都|一律? X 地? 回答|回复|说|解释|一点 我? : answer_style func wish is=manner
I 希望|想要|要求|喜欢 你? 的? 回答|回复 X : answer_style func wish is=manner
请|以后|以后请|麻烦|请你? 别|不要|不用|别再|不要再|别用|别发 用|使用|发|加|带|出现? 任何? 表情|表情符号|emoji|颜文字 : emojis func wish value=不用
请|以后|以后请|麻烦|请你|你? 都|一律|始终|总是|一直|统一? 用|使用|采用|按 X : units func wish is=unit
以后|今后|从现在开始|从现在起|从今以后|往后|从今天起 ,? 请|请你|你|麻烦|都? 别|不要|别再|不要再|不用|千万别 X : should_not wish adds words=2-20 clear
以后|今后|从现在开始|从现在起|从今以后|往后|从今天起 ,? 请|请你|你|麻烦 都? X : should wish adds words=2-20 clear
请|请你|麻烦? 永远|始终|总是|一直|每次|务必 都? 别|不要 X : should_not wish adds words=2-20
请|请你|麻烦 永远|始终|总是|一直|每次|务必 都? X : should wish adds words=2-20
不要|别 再? 给我|向我|跟我 推荐|提|提到|建议|发|说|问|叫|催|提醒 X : should_not wish adds words=2-20

// corrections
她|他|它 的? 名字|小名|大名? 叫 X : name func subject=she words=1-12
她|他|它? 的? 名字? 叫|是 X , 不是|不叫 Y : it func change subject=it words=1-8

// name, age, birth
I 的? 名字|全名|大名 叫|是 X : name func clear
I 叫|名叫 X : name func clear spoken words=1-12
I 今年|已经|刚|刚满|刚过|快? 满? X 岁 了? : age func clear is=number
MY 生日 是|在 每年|农历|阳历? 的? X : birthday func trait clear is=date
I 是? 出生 于|在? X : birthday func trait is=date
I 是? X 出生 的? : birthday func trait is=date
I 出生 在|于 X : born_in func trait clear
I 从小|小时候|是? 在 X 长大 的? : grew_up_in func trait clear
I 老家|家乡|故乡 是|在? X 人? 的? : from func trait clear
I 来自 X : from func trait clear
I 是 X 人 : from func trait clear is=placezh

// residence
I 家? 的? 地址 是|在|改成了|换成了|变成了 X : address func clear
I 不 再? 住 在? X 了? : lives_in denied change clear
I 从 Y 搬 到|去|来 了? X 了|住? : lives_in func change clear
I 家? 搬家? 搬 到|去|来|进 了? X : lives_in func change clear
I 搬家 了 , 新家|现在|新地址|新房子? 住? 在|是 X : lives_in func change clear
I 的? 新家|新房子|新公寓|新住处 在 X : lives_in func change clear
I 和|跟|与 Z 一起|单独|同住? 住 在 X : lives_in func clear is=livezh
I 住 在? X : lives_in func change elide is=now
I 又|刚|刚刚|终于? 搬 到|去|来|回 了? X : lives_in func change elide is=firstzh
I 租|租住|租房|定居|居住|生活 在|到 X : lives_in func clear is=livezh
I 屋|屋头|屋里|家|家里|一个人|自己|单独? 住 在|到|进? X : lives_in func clear deniable is=livezh
I 家 住? 在 X : lives_in func clear
I 在 X 住|生活|定居 : lives_in func clear

// work
I 从 Y 跳槽 到|去 了? X : works_at func change clear
I 离开 了? Y , 去|加入|到|现在在|入职|现在去 了? X 上班|工作|任职? : works_at func change clear
I 跳槽|换工作|换公司|换单位 了? , 现在|新公司|目前? 在|是|去|到? 了? X 上班|工作|任职? : works_at func change clear
I 入职|加盟|跳槽 到|去? 了? X : works_at func change clear
I 辞职|离职|辞掉工作|被裁|失业 : works_at denied change clear
I 在 X 做|当|担任|任|任职|教 X : works_as func clear words=2-12
I 在 X 上班|工作|任职|打工|就职|供职 : works_at func clear deniable is=employer
I 的? 工作|职业 是 一名|一位|个|做|当? X : works_as func clear is=tradezh
I 是 一名|一个|一位|个|名|做|当? X 的? : works_as func is=person clear
I 当|做 了? X 年? : works_as func is=person
I 是? 退休|自由职业|自由职业者 : works_as func value=retired
I 在 X 读|上|念 书|大学|学|研究生|本科|博士|高中|硕士|小班|中班|大班|学前班|幼儿园|小学|初中|一年级|二年级|三年级|四年级|五年级|六年级|初一|初二|初三|高一|高二|高三 : studies_at func clear
I 转学|转园|转班 了? , 现在? 去|到|在|转到? 了? X : studies_at func change clear
I 在 X 幼儿园|小学|中学|初中|高中 : studies_at func is=pupilzh
I 转到|转去|转学到|转学去|转园到|升到|考上|摇到|分到 了? X : studies_at func change clear
I 在 X 读|学|念|攻读|主修 X : studies func
I 主修|学的是|读的是|专业是 X : studies func

// vehicles, belongings
I 把 @thing 卖 掉? 了 , 买|换|现在|改|换成|换了 开|骑|成|了? 的是? 一辆|辆|一台|了? X : $ func change clear
I 把 @thing 卖|送|处理 掉? 了? : $ denied change clear
I 把 Y 换 成 了? 一辆|一台|一部|辆? X : owns change clear
I 卖 掉? 了? @thing : $ denied change clear
@thing 卖 掉? 了 : $ denied change
X I? 卖 掉? 了 : owns denied change is=soldzh
X I 戒 掉? 了? : does_not adds change
I 已经? 没 有? @thing 了? : $ denied clear
I 开 的? 是|着|一辆|辆|一台 一辆|辆|一台? X : car func clear
I 骑 的? 是|着|一辆|辆|一台 一辆|辆? X : bike func
I 换|买 了 一? 辆|台|部|套? 新? @thing , 是|现在是|一台|一部|一辆|换成了|新号是|号码是|新的是|现在开? X : $ func change clear
新|新的|最新 @thing 是|: X : $ func change
@thing|role :|是 X : $ func reported
I 从 Y 换 成|到|了 了? X : uses func change clear
早上|早饭|早餐|中午|晚上|睡前|平时 I? 改 喝|吃|用 X 了? : uses change adds clear
I 现在|已经? 改 用|喝|吃|骑|坐|学|看|练 X 了? : uses change adds clear elide

// people
MY @kin|friend|pet 的? 名字|小名|大名? 叫|名叫|是叫 X : $ adds clear
MY? 店里|公司|单位|家里|门店? 的? @role 的? 名字? 叫|名叫|姓 X : $ func clear is=callzh
MY? 店里|公司|单位|家里|门店 有 个|位|一个|一位 @role 叫|姓 X : $ func clear is=callzh
MY? 的? @role 是 个|位|一个|一位 姓 X 的 Z : $ func clear is=callzh
MY @bearer 的 名字 是 X : $ func clear
MY? 的? @role 换 成|了|人 了? , 现在|新的|新来的? 是|叫|姓? X : $ func change clear
MY? 的? @role 换|改 成 了? X : $ func change clear
MY? 店里|公司|单位|家里|门店? 的? @role 的? 是 X : $ func clear is=personname
I 换 了? 一? 个|位|名|家? 新? @role , 现在|新的|现在的|这位|新? @role? 是|叫|姓|找的是|改看 X : $ func change clear
I? 新|新的|新来的|新请的|新找的 @role 是|叫|姓 X : $ func change clear is=callzh
X 是 MY @kin|role : $ func clear is=personname
I 有 一? 个|位|还有个? @kin ,? 她|他? 叫|名叫 X : $ adds clear
I 还|又? 养|收养|领养|有 了? 一? 只|条|个|匹 @pet ,? 它|名字|她|他? 叫|名叫|名字叫 X : $ adds clear
I 家? 还|又? 养|收养|领养|有 了? 一只|两只|三只|一条|两条|一匹|几只|只|条|一|两? #pet : has_pet adds clear
家里 还? 养|有 了? 一只|两只|三只|一条|两条|只|条 #pet : has_pet adds clear
I 穿 X 码 : size func
还? 收养|领养 了? 一只|两只|只|一条|条? #pet : has_pet adds change
I 有 一个|两个|三个|四个|个|俩|一对|一位 #kin : has_family adds clear
I 没 有? #kin : has_family denied
I 去世|死|过世|病逝 了? : died denied change
I 和|跟|与 X 结婚 了? : spouse func change
I 结婚|离婚|订婚 了 : marital_status func change value=married
I 是|现在|目前? #status : marital_status func clear
I 和|跟|与 X 分手 了? : partner denied change

// health and diet
I 对 X 严重|有点|有些|轻度|重度|都? 过敏 : allergic_to adds clear deniable
I 吃|喝 X 会? 过敏 : allergic_to adds clear
I 有 X 过敏 症? : allergic_to adds clear
I X 过敏 : allergic_to adds elide is=foodzh
I 不能|不可以|没法|不敢|吃不了|喝不了 吃|喝|碰|沾? X : cannot_eat adds clear
I 从来|从|一口|都|完全? 不 吃 X : cannot_eat adds clear
I 从来|从|完全? 不 喝 X : does_not_drink adds clear
I 不 抽烟|喝酒|吸烟 : does_not adds value=烟
I 又|重新 开始|能|可以? 吃|喝 X 了? : eats change adds
I 现在|已经|是|一直|改|开始|个|一名? #diet : diet func clear deniable
I 有|得了|患有|患|确诊了|确诊|查出|被诊断出 #condition : has_condition adds clear
I 是 #condition 患者? : has_condition adds clear
I 患有|确诊了|确诊|查出|被诊断出|被诊断为|得了 X : has_condition adds clear
I #condition 了|好几年|多年? : has_condition adds
I 每天|每晚|每早|早上|晚上|睡前|饭前|饭后|空腹? 早上|晚上|睡前|饭前|饭后|空腹? 都|要|得? 吃|服用|服|打 一|两|半? 颗|片|粒|针? X : dose func habit clear is=dosezh
I? N 加|减|降|调|改|换|升|增 到|成|为|至 了? 一天|每天|每次|一次|早晚? X : dose func change habit subject=$ clear is=dosezh

// languages
I 不 会 说|讲 X : speaks denied
X 不 是 I 的 菜 : dislikes pref adds
I 希望|要求|想要 你 以后|每次|总是|一直|始终|都|永远 都? X : should wish adds words=2-20
I 念|读|学 的 是 X 专业? : studies func
I 会|能 说|讲 X : speaks adds clear
I 会|说|讲 #language : speaks adds
I 正|在|正在|开始|最近? 在|学|学习|自学 学|了? #language : learns adds clear

// membership, schedules
I 是 X 的 年费|付费|终身|正式|高级? 会员|成员|队员|社员|一员|校友 : member_of adds clear
I 退出|退 了? Y , 加入|参加|去 了? X : member_of change clear
I 在 X 办 了? 张|个|一张? 健身? 卡|年卡|月卡|次卡|会员|会员卡 : member_of adds clear elide words=2-14
X 的? 那张|那个|那? 卡|年卡|月卡|会员|会员卡 I? 退|转|停|注销 掉|出去|给别人? 了 : member_of denied change clear words=2-14
I 加入|参加 了 X : member_of adds change clear words=2-14
I 退出|取消|退 了? X 的? 会员|会籍|俱乐部|会? : member_of denied change words=2-14
MY? 的? @activity 现在|都|一般|固定|安排? 是|在 每? X : schedule func subject=$ habit is=day clear
MY? 的? @activity 换|改|调|挪 了? 时间 了? , 以后|现在|改成|改到? 是|在|到? X : schedule func change subject=$ habit is=day clear
MY? 的? @activity 从 Y 改 到|成|在 了? X : schedule func change subject=$ habit is=day clear
MY? 的? @activity 改|换|挪|调|移|调整|改成|安排 到|成|在 了? X : schedule func change subject=$ habit is=day clear
I 把 @activity 改|换|挪|调 到|成|在 了? X : schedule func change subject=$ habit is=day clear
I 每? X 都|晚上|早上|下午|上午|固定|会|要? 都|会|要? 有|上|练|去|去上|踢|打|做|参加|去打|去踢|学 @activity : schedule subject=$ habit is=day clear
每 X I 都|晚上|早上|下午|上午|固定|会|要? 都|会|要? 有|上|练|去|去上|踢|打|做|参加|去打|去踢|学 @activity : schedule subject=$ habit is=day clear

// amounts, codes
I? 每月|每个月|一个月 的? @thing 是|要|为|:? X : $ func clear is=amountzh
I Z 的 @thing 是|为 X : $ func reported is=amountzh
MY? 的? @thing 一个月|每个月|每月|一年|每年|一学期? 是|要|交|给|为|:? X : $ func clear is=amountzh
MY? 的? @thing 明年|今年|下个月|从下个月起? 涨|降|升|加|减|调|改|谈 到|成|为|至 了? X : $ func change clear is=amountzh
MY? N 的? 密码|口令 现在? 是|叫|改成|改成了|换成|换成了|改为|变成|:? X : $_password func clear is=codezh
I 换|改 了? 个 Z 的? 号码|号|手机号|电话号码|电话 ,? 是|:? X : phone_number func change clear is=codezh

// days off
I 每周|一周 只有|只 X 休息|轮休 : day_off func habit clear is=dayzh
I 店|店里|店头|公司|单位? 每? X 休息|关门|不开门|不营业|店休|轮休 : day_off func habit elide is=dayzh
I 店|店里|店头|公司|单位? 改|换|调 成|到|为 了? X 休息|关门|不开门|不营业|店休|轮休 : day_off func change habit elide is=dayzh


// dated events
MY 的? N 定? 在|是 X : $ event func is=date
I X 结婚|办婚礼|举行婚礼 : wedding event func is=date

// likes
MY? 的? 最 喜欢|爱|喜爱|钟爱 吃|喝|看|听|玩|读? 的 N 是|叫|现在是|变成了 X : favourite_$ func pref clear
X 是 I 最 喜欢|爱 吃|喝|看|听|玩|读? 的 N : favourite_$ func pref
I 最 喜欢|爱|爱吃|爱喝 吃|喝|看|听|玩|读? 的? 是|就是? X : likes adds pref clear is=like
I? 比起 Y , I? 更|我更|还是? 喜欢|爱 X : prefers pref adds clear is=like
I 更|比较|偏|还是更|偏向 喜欢|爱|偏爱|喜欢喝 X : prefers pref adds clear is=like
I 偏爱|偏好 X : prefers pref adds clear is=like
I 不 太|怎么|是很|大|爱? 喜欢|爱|爱吃|爱喝 吃|喝|看|听|玩? X : dislikes pref adds clear is=like
I 讨厌|受不了|痛恨|最讨厌|最怕|反感 吃|喝|听|看? X : dislikes pref adds clear is=like
I 害怕|怕|恐惧 X : fears adds clear is=like
I 喜欢|喜爱|热爱|爱好|酷爱|钟爱|迷上了|痴迷|爱上了|迷 X : likes pref adds clear is=like deny=dislikes
I 爱 吃|喝|看|听|玩|读 X : likes pref adds clear is=like deny=dislikes
I 对 X 感兴趣|有兴趣|着迷|很感兴趣 : likes pref adds clear deny=dislikes
MY 的? 爱好|兴趣|业余爱好 是|有|包括 X : hobby adds pref clear
I 是 X 的? 粉丝|球迷|影迷|歌迷|迷|爱好者|死忠 : likes pref adds clear
I 是 个? 独生子|独生女|夜猫子|左撇子|早起的人|内向的人|外向的人|急性子 : is trait adds value=x

// habits
I 习惯|习惯了 X : does habit adds clear
I 收集|收藏|养 着? X : collect habit adds
I 通常|平时|一般|经常|每天|每周|每年|每晚|每个月|每个周末|每逢|周末|总是|天天|从来不|几乎每天|坚持 都|会|早上|晚上|下午|中午|要|要去|会去|上午? 都|会|要|去? X : does habit adds clear is=habitzh
每天|每周|每年|每晚|每个月|每个周末|周末|平时 早上|晚上|下午|中午|上午? I 都|会|要? 都|会|要|去? X : does habit adds clear is=habitzh
I 开始|最近开始|刚开始 学|练|跑步|健身|打|做|写 X : does habit change adds

// open nouns
店里|公司|单位? I? N I? 一直|平时|一般|主要|向来 都? 用|走|靠 的? 是? X : $ func clear is=topiczh
店里|公司|单位? I? N I? 改用|换成|改成|改走|改为|换到 了? X : $ func change clear is=topiczh
MY? 的? @thing 换|改|变 成 了? X : $ func change clear
MY 的? @thing 现在|号码? 是|叫|为 X : $ func clear is=valuezh
I 姓 X : surname func spoken words=1-8
I 和|跟 X 一起 住 : lives_with adds
I 一个人 住|生活 : lives_with func value=一个人
I 自己 住|一个人住 : lives_with func value=一个人
I 走|没|搬走|搬出去 了 : gone denied change
I 戴 眼镜|隐形眼镜|助听器 : wears adds value=眼镜
I 每天|每晚|每早 都|要? 吃|服用 X 药 : takes adds habit
I 不 会 开车|游泳|做饭|跳舞|滑雪|骑车 : cannot adds value=x
I 身高|个子 是|有? X : height func is=digits
I 的? 母语 是 X : native_language func clear
I 在 X 健身|锻炼 : gym func
`

func chinese() *lexicon {
	l := &lexicon{
		han:         true,
		subjects:    wordSet("我 咱 俺"),
		possessives: wordSet("我 咱 俺"),
		prefixes:    wordSet("在 从 对 自 上 去 到 每 周 下 因 除 作 为 现 目 最 平 以 今"),
		vague:       wordSet("这 那 它 他 她 你 您 啥 谁 怎"),
		timely:      wordSet("每 天 周 星 末 晚 早 都 常 年 月"),
		olds:        wordSet("旧 前"),
		news:        wordSet("新"),
		pronouns:    wordSet("她 他 你 您"),
		of:          "的",
		belongs:     phrasesOf("会员 成员 队员 粉丝 球迷 影迷 歌迷 好人 新人 主人 客人 大人 病人 男人 女人 的人 新手 高手 对手 一员 男生 女生 新生 考生 党员 团员 家长 女士 独生"),
		peopleEnds:  []string{"师", "员", "生", "家", "护士", "理", "监", "手", "司机", "长", "官", "农", "匠", "士", "者", "警", "编", "媒", "贩", "导", "授", "工"},
		manners:     phrasesOf("简短 简洁 详细 简练 简明 正式 礼貌 一句话 精炼 少废话 直接 口语 随意 分点 列点 短 长 简单 通俗 客气"),
		units:       wordSet("公 摄 华 英 千 米 人"),
	}
	l.adverbs.add("已经 刚 刚刚 都 一直 很 非常 特别 真的 其实 就 才 超 超级 挺 比较 真 特 最 也是 目前 当前 终于 本人 自己 十分 相当 蛮 确实 向来 一向 从小 从小就 上个月 上周 去年 前阵子 今年 这个月 前几天 最近刚 正式 主要 严重 地 嘛", 0)
	l.adverbs.add("不 没 没有 从不 从来不", flagNot)
	l.adverbs.add("不再 再也不", flagEnds)
	l.adverbs.add("现在 最近 如今 从今天起 从现在起 从上周起 从下周起 从下个月起 下周开始 下个月开始 明天开始 明年开始 下周起 下个月起 明天起 明年起 现在起 从这周起 这个学期", flagNew)
	l.adverbs.add("通常 经常 平时 每天 一般 总是 常常 时常", flagHabit)
	l.adverbs.add("也 还 另外 同时", flagAlso)
	l.keeps = phrasesOf(toKeep[3])
	l.openers.add(toKeep[3], 0)
	l.openers.add("对了 那个 嗯 好的 好 哦 啊 顺便说一下 顺便说一句 顺便 另外 补充一下 提醒一下 更新一下 跟你说一下 跟你说 想跟你说 想告诉你 我想跟你说 我想告诉你 你得知道 告诉你 告诉你一下 告诉你一声 和你说一下 说一下 记住 请记住 记一下 帮我记一下 帮我记住 麻烦记一下 记得 别忘了 永远别忘了 千万别忘了 一定要记住 你要知道 你知道 因为 由于 不过 但是 但 而且 所以 其实 说实话 老实说 更正一下 更正 纠正一下 抱歉 不好意思 不对 不是 说错了 对 是的 没错 谢谢 哈哈 你好 嗨 说到 话说 关于我 介绍一下 作为 个人而言 对我来说 可惜 好消息 顺带一提 备注 注意 重要 然后 还有 本来就 忘了说 忘了告诉你 你记一下 请注意", 0)
	l.openers.add("以后 今后 从现在开始", flagNew|flagAlways)
	l.openers.add("请 麻烦", flagPlease)
	l.joins = phrasesOf("因为 所以 但是 但 不过 而且 并且 然后 可是 由于 结果")
	l.asks = phrasesOf("什么 怎么 怎样 哪里 哪儿 哪个 哪些 哪 谁 为什么 多少 几点 有没有 有什么 能不能 可不可以 是不是 要不要 该 推荐 帮我 请问 你觉得 你说 给我 怎么办 可以")
	l.blocksAll = phrasesOf("想象一下 想象 假装 假设 角色扮演 小说里 故事里 我的小说 我小说 我的故事 主角 主人公 开玩笑 逗你 听说 据说 他说 她说 有人说 人家说 都说 梦见 梦到 梦里 说着玩 骗你 才怪 反话 剧本里 剧本中 台词 是是是 对啊 呵呵 可不是嘛")
	l.blocks = phrasesOf("念叨 如果 要是 假如 也许 可能 大概 或许 应该会 说不定 万一 想去 想要 想买 想搬 想换 想学 打算 准备 计划 希望 但愿 觉得 感觉 好像 似乎 以前 曾经 从前 过去 小时候喜欢 差点 差一点 明天 后天 下周 下个月 明年 下次 吗 什么 怎么 哪 谁 多少 为什么 是不是 有没有 要不要 考虑 犹豫 在想 恨不得 早知道 原来想 本来想 本来打算 梦想 幻想 貌似 看起来 吧 呢 的话 会不会 能不能 暂时 等我 等以后 有一天 总有一天 不知道 不确定 说不准 没准 还没 还没有 快要 差不多要 那时候 当时 你 您")
	l.blocks.add("下周开始 下个月开始 明天开始 明年开始 下周起 下个月起 明天起 明年起", flagNew)
	l.passing = phrasesOf("昨天 今天 今晚 昨晚 刚才 这会儿 此刻 今早 这次 正在 今儿 昨儿")
	l.ends = phrasesOf("因为 所以 但是 但 不过 而且 并且 然后 可是 的时候 时候 来着 已经 也 而不是")
	l.trails.add("了 呢 啊 哦 哈 呀 的 啦 嘛 哟 诶 喔 哈哈 谢谢 上班 工作 人 一点 就行 就好 即可 多年 很多年 好几年 这边 那边 读书 为主 很久 三年 两年 五年 十年 了三年 , : 一些 过 年 多 半年 住 存一下 记一下", 0)
	l.trails.add("现在", flagNew)
	l.instead = phrasesOf("而不是")
	l.nots = phrasesOf("不是 不叫 而不是")
	l.reports = phrasesOf("说 写 写着 写道 问 回答 填 告诉我 喊")
	l.reasons = phrasesOf("因为 由于")
	l.over = phrasesOf("胜过 多过 超过 而不是")
	l.notButs = [2]phrases{phrasesOf("不是"), phrasesOf("而是 是 ,_是 ,_而是")}
	l.reacts = phrasesOf("这 那 你 您 它 他 她 什么 怎么 谁 哪 上你 这个 那个 自己 和你 跟你 死 得")
	l.users = phrasesOf("用户 该用户 这位用户 使用者 该使用者")
	l.people = phrasesOf("医生 护士 老师 教师 程序员 工程师 律师 会计 学生 大学生 研究生 设计师 司机 厨师 警察 记者 编辑 经理 产品经理 公务员 销售 翻译 作家 画家 摄影师 演员 药剂师 研究员 博士生 退休教师 老板 农民 工人 军人 空姐 导游 教练 插画师 咨询师 店长 主播 全职妈妈 家庭主妇 自由职业者 单亲妈妈 幼师 助理 架构师 分析师")
	l.patterns = rows(chineseRows)
	return l
}

// simplified maps traditional characters to simplified ones: those of the
// tables above and common characters around them.
var simplified = func() map[string]string {
	const pairs = `們们 愛爱 對对 過过 媽妈 親亲 兒儿 號号 碼码 電电 話话 機机 車车 說说 講讲 請请 記记 別别 忘忘 換换 現现 開开 關关 門门 學学 習习 習习 寫写 讀读 書书 聽听 樂乐 歡欢 討讨 厭厌 養养 貓猫 馬马 魚鱼 鳥鸟 醫医 師师 員员 護护 專专 業业 職职 離离 婚婚 結结 訂订 單单 獨独 會会 個个 條条 隻只 隻只 輛辆 臺台 裡里 裏里 後后 從从 來来 這这 還还 沒没 無无 為为 與与 東东 歲岁 點点 時时 間间 週周 禮礼 課课 籃篮 遊游 戲戏 體体 廳厅 館馆 園园 國国 語语 粵粤 漢汉 韓韩 訴诉 辭辞 職职 槽槽 經经 總总 監监 導导 員员 長长 轉转 變变 調调 動动 進进 飯饭 喫吃 麵面 麩麸 雞鸡 蝦虾 餐餐 藥药 糖糖 壓压 樣样 麼么 嗎吗 應应 該该 實实 錯错 謝谢 聯联 繫系 絡络 終终 遠远 絕绝 給给 讓让 寵宠 兔兔 龜龟 鸚鹦 鵡鹉 倉仓 鼠鼠 陳陈 張张 劉刘 趙赵 楊杨 吳吴 鄭郑 選选 擇择 種种 類类 顏颜 紅红 藍蓝 綠绿 黃黄 黑黑 質质 舊旧 嶽岳 鄰邻 屋屋 處处 莊庄 縣县 鎮镇 鄉乡 廣广 灣湾 區区 樓楼 層层 戶户 簡简 潔洁 詳详 細细 煩烦 麻麻 擾扰 爺爷 孫孙 嬸婶 舉举 辦办 場场 練练 瑜瑜 週周 歷历 曆历 農农 陽阳 聖圣 產产 經经 濟济 術术 藝艺 設设 計计 寧宁 滬沪 蘇苏 聞闻 頻频 團团 隊队 員员 貝贝 寶宝 萬万 僅仅 嚴严 證证 護护 照照 郵邮 箱箱 帳账 戀恋 訊讯 據据 夢梦 見见 義义 剛刚 買买 賣卖 掉掉 騎骑 腳脚 踏踏 機机 顧顾 問问 題题 兩两 雙双 幾几 熱热 戒戒 煙烟 酒酒 靜静 遲迟 餓饿 鹹咸 甜甜 辣辣 淨净 葷荤 純纯 嘗尝 擔担 腦脑 筆笔 產产 傷伤 確确 診诊 斷断 擊击 彈弹 鋼钢 琴琴 畫画 攝摄 影影 園园 衝冲 爾尔 啟启 華华 為为 於于 戴戴 鏡镜`
	table := make(map[string]string)
	for pair := range strings.FieldsSeq(pairs) {
		runes := []rune(pair)
		table[string(runes[0])] = string(runes[1])
	}
	return table
}()
