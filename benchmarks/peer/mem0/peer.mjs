// Mem0's open-source package as a host uses it that extracts nothing
// (infer: false), with its default vector store on disk. Its embedder asks an
// address that speaks OpenAI's API; here that is this process, which makes the
// vectors of ../../words, so that a model's time is in no number.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import readline from 'node:readline'

process.env.MEM0_TELEMETRY = 'false'
console.log = console.error // answers alone go to standard output
const { Memory } = await import('mem0ai/oss')

const dims = 256

function vector(text) {
  const v = new Float64Array(dims)
  for (const raw of text.toLowerCase().split(/\s+/)) {
    const word = raw.replace(/^[.,!?;:"']+|[.,!?;:"']+$/g, '')
    let hash = 0xcbf29ce484222325n
    for (const byte of Buffer.from(word)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
    for (let i = 0; i < 4; i++) {
      v[Number((hash >> 1n) % BigInt(dims))] += hash & 1n ? -1 : 1
      hash = BigInt.asUintN(64, (hash >> 16n) | (hash << 48n))
    }
  }
  const length = Math.hypot(...v)
  if (length === 0) v[0] = 1
  return Array.from(v, (x) => x / (length || 1))
}

const embedding = http.createServer((request, response) => {
  let body = ''
  request.on('data', (part) => (body += part))
  request.on('end', () => {
    const { input } = JSON.parse(body)
    const data = [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }))
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ object: 'list', model: 'words', data, usage: { prompt_tokens: 0, total_tokens: 0 } }))
  })
})
await new Promise((ready) => embedding.listen(0, '127.0.0.1', ready))
const baseURL = `http://127.0.0.1:${embedding.address().port}/v1`

let memory
let lines = null

function turns(request) {
  if (lines?.path !== request.path) lines = { path: request.path, all: fs.readFileSync(request.path, 'utf8').split('\n') }
  return lines.all.slice(request.from ?? 0, request.to).map((line) => JSON.parse(line))
}

const insert = (turn) =>
  memory.add([{ role: turn.role, content: turn.text }], { userId: turn.user, infer: false, metadata: { session: turn.session, id: turn.id } })

async function search(user, query) {
  const found = await memory.search(query, { filters: { user_id: user }, topK: 10 })
  return found.results.length
}

const operations = {
  open(request) {
    memory = new Memory({
      embedder: { provider: 'openai', config: { apiKey: 'none', model: 'words', baseURL, embeddingDims: dims } },
      llm: { provider: 'openai', config: { apiKey: 'none', baseURL } },
      vectorStore: { provider: 'memory', config: { collectionName: 'turns', dimension: dims, dbPath: path.join(request.dir, 'vectors.db') } },
      historyDbPath: path.join(request.dir, 'history.db'),
    })
    return [() => memory.getAll({ filters: { user_id: 'nobody' } })]
  },
  load: (request) => [async () => { for (const turn of turns(request)) await insert(turn) }],
  insert: (request) => turns(request).map((turn) => () => insert(turn)),
  search: (request) => request.queries.map((query, i) => () => search(request.users[i], query)),
  crowd(request) {
    const waiting = turns(request)
    const publisher = async () => { while (waiting.length > 0) await insert(waiting.shift()) }
    return [() => Promise.all(Array.from({ length: request.publishers }, publisher))]
  },
  settle: () => [],
  collect: () => [() => global.gc()],
  close: () => [],
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = { took: [], total: 0, found: 0 }
  try {
    for (const step of operations[request.op](request)) {
      const began = process.hrtime.bigint()
      const result = await step()
      const took = Number(process.hrtime.bigint() - began)
      answer.took.push(took)
      answer.total += took
      if (request.op === 'search') answer.found += result
    }
  } catch (error) {
    answer.error = String(error)
  }
  answer.resident = process.memoryUsage().rss
  process.stdout.write(JSON.stringify(answer) + '\n')
}
process.exit(0)
