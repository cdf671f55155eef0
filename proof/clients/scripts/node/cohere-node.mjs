/** Cohere's SDK for Node: rerank in both of its versions. */
import { CohereClient, CohereClientV2 } from 'cohere-ai'
import { check, feature, KEY, refused, URL } from './feature.mjs'

const at = { token: KEY, environment: URL }
const documents = ['A red car.', 'A green pear.']

await feature('rerank', async () => {
  for (const client of [new CohereClientV2(at), new CohereClient(at)]) {
    const { results } = await client.rerank({ model: 'rerank-v3.5', query: 'fruit pear', documents, topN: 1 })
    check(results.length === 1 && results[0].index === 1)
  }
})
const failure = (model) =>
  refused(() => new CohereClientV2(at).rerank({ model, query: 'fruit', documents }, { maxRetries: 0 }))
await feature('error', async () => {
  const absent = await failure('no-such-model')
  check(absent.statusCode === 404 && absent.body.error.code === 'model_not_found', absent.message)
})
await feature('credits', async () => {
  const poor = await failure('svc-sandbox/rerank-402')
  check(poor.statusCode === 402 && poor.body.error.code === 'insufficient_credits', poor.message)
})
