package lexicon

import (
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Relatives are the terms of irregular forms of a word, and of everyday words for
// the same thing.
func Relatives(term string) []string { return relatives[term] }

// relatives maps a term to its relatives.
var relatives = func() map[string][]string {
	m := make(map[string][]string)
	for line := range strings.Lines(sameWords + sameChinese) {
		terms := text.Terms(line)
		for _, a := range terms {
			for _, b := range terms {
				if a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}()

// sameWords lists, a line each, the forms of irregular words, which no stemmer
// joins, and common everyday words that replace each other.
const sameWords = `go went gone
buy bought purchase
see saw seen
eat ate eaten
run ran
drive drove driven
fly flew flown flight
write wrote written
speak spoke spoken
take took taken
give gave given gift
get got
make made
find found
think thought
teach taught
catch caught
bring brought
feel felt
leave left
lose lost loss
meet met
say said
tell told
sell sold sale
send sent
sing sang sung song
sleep slept
spend spent
swim swam swum
win won winner
wear wore worn
begin began begun start
break broke broken
choose chose chosen choice
draw drew drawn
drink drank drunk
fall fell fallen
forget forgot forgotten
grow grew grown growth
hear heard
hide hid hidden
hold held
keep kept
know knew known
learn learnt
pay paid
ride rode ridden
steal stole stolen
throw threw thrown
wake woke woken
build built
bear bore born birth
bite bit bitten
blow blew blown
come came
fight fought
lead led
lend lent
shake shook shaken
shoot shot
show shown
sit sat
stand stood
stick stuck
strike struck
tear tore torn
understand understood
hurt injure injury
child children kid son daughter
man men
woman women
person people
foot feet
tooth teeth dentist
mouse mice
wife wives
life live lives
die died death dead
marry married marriage wedding wed
mom mum mother mommy
dad father daddy
grandma grandmother granny
grandpa grandfather
favorite favourite
color colour
movie film
job work career
picture photo pic photograph
bike bicycle
tv television
fridge refrigerator
sick ill illness
doctor physician
car vehicle
weigh weight
house home apartment flat
trip travel vacation holiday journey
pet dog cat puppy kitten
book novel read
like love enjoy
exercise workout gym
relationship dating boyfriend girlfriend partner
`

// sameChinese lists, a line each, everyday words that replace each other. A word
// of one character stands for every word that contains it. Of a word of three
// characters, the first bigram is enough.
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
