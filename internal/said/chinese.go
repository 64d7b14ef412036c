package said

import (
	_ "embed"
	"strings"
)

// chineseRows are the patterns of Chinese, in simplified characters. Traditional
// characters are simplified before matching.
//
//go:embed patterns/zh.txt
var chineseRows string

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
	l.blocks = phrasesOf("一毕业 念叨 如果 要是 假如 也许 可能 大概 或许 应该会 说不定 万一 想去 想要 想买 想搬 想换 想学 打算 准备 计划 希望 但愿 觉得 感觉 好像 似乎 以前 曾经 从前 过去 小时候喜欢 差点 差一点 明天 后天 下周 下个月 明年 下次 吗 什么 怎么 哪 谁 多少 为什么 是不是 有没有 要不要 考虑 犹豫 在想 恨不得 早知道 原来想 本来想 本来打算 梦想 幻想 貌似 看起来 吧 呢 的话 会不会 能不能 暂时 等我 等以后 有一天 总有一天 不知道 不确定 说不准 没准 还没 还没有 快要 差不多要 那时候 当时 你 您")
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
