package recall

import (
	"strings"
	"unicode/utf8"
)

// answerKindOf reads the question words that stand inside bigrams.
func answerKindOf(term string) (k kindOfAnswer) {
	if strings.ContainsRune(term, '谁') || strings.ContainsRune(term, '誰') {
		k |= asksWho
	}
	if strings.ContainsAny(term, "几幾") {
		k |= asksNumber
	}
	return k
}

// numerals without 一, which is in every second sentence.
const numerals = "两兩二三四五六七八九十百千万萬半"

// spokenFlags finds the persons, questions, numbers and dates of Chinese, which
// stand inside bigrams.
func spokenFlags(term string) (flags docFlags) {
	if term[0] < utf8.RuneSelf {
		return 0
	}
	if strings.ContainsRune(term, '我') {
		flags |= saysI
	}
	if strings.ContainsAny(term, "你您") {
		flags |= saysYou
	}
	if strings.ContainsAny(term, "谁誰哪") || questionWord[term] {
		flags |= asks // a Chinese question has its word anywhere
	}
	if at := strings.IndexAny(term, numerals); at >= 0 {
		flags |= numbersIt
		if rest := strings.IndexAny(term, "月号號日年"); rest > at {
			flags |= datesIt
		}
	}
	return flags
}

// sameChinese lists, a line each, everyday words that are used for each other.
// A word of one character stands for every word that holds it; of one of three
// the first bigram is enough.
const sameChinese = `
爸 爸爸 父亲 父親
妈 妈妈 媽 媽媽 母亲 母親
父母 爸妈 爸媽 双亲
爷爷 爺爺 祖父 阿公
奶奶 祖母 阿嬷 阿嬤
外公 姥爷 外祖
外婆 姥姥 外祖
老婆 妻子 太太 媳妇
老公 丈夫
恋人 女友 男友 女朋 男朋 恋爱 戀愛 对象 對象
孩子 小孩 儿子 女儿 兒子 女兒 宝宝
兄弟 哥 弟
姐妹 姐 妹
家人 家里 亲人
朋友 同学 同事
结婚 結婚 婚礼 婚禮
怀孕 预产 出生
去世 过世 過世 逝世 葬礼 告别 告別
工作 上班 职业 職業
公司 单位 單位
辞职 离职 辭職
老板 上司 领导
开业 开张 营业 開張
房租 租金 月租
租约 合同 签约
房子 公寓 屋子
搬家 搬到 搬去 搬进
住院 医院 醫院 手术 手術
生病 病 感冒 发烧
医生 大夫 醫生
受伤 骨折 摔
价格 价钱 费用
收入 工资 薪水
旅游 旅行 出游
假期 放假 休假
飞机 航班 机票
火车 高铁 动车
汽车 车子 开车
自行 单车
喜欢 喜歡 爱 愛
讨厌 不喜
爱好 兴趣
买 购买 買
卖 出售 賣
名字 叫
猫 猫咪 貓
狗 小狗 宠物
学校 大学 學校
专业 系 主修
老师 教练 教授
考试 考上 考过
比赛 冠军 奖
体重 公斤 斤
年纪 年龄 岁 歲
生日 岁
餐馆 餐厅 饭店 馆子 饭馆
商店 店
书 小说 書
电影 片子
电视 剧
歌 唱 音乐
画 画画 畫
照片 拍照 相机
饭 吃
菜 做菜 做饭
锻炼 运动 健身 跑步
学习 学 學
教 老师
邻居 隔壁 鄰居
抱怨 投诉
拒绝 回绝
答应 同意
帮忙 帮 幫
照顾 照看 照顧
打算 计划
推荐 介绍
礼物 送
手机 电话 號碼
电脑 笔记
`
