import { z } from 'zod'
import { chatCharge, MODEL_CHARACTERS_MAX } from './chat.ts'
import { usdNumber } from './money-schema.ts'

/** Most documents in one request. Source: Jina's API reference, `documents`; others recommend fewer. */
export const RERANK_DOCUMENTS_MAX = 2_048

const document = z.union([z.string(), z.looseObject({})])

/** The body of a request to rank documents. Fields that are not listed go to the upstream unchanged. */
export const rerankRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A model id.'),
  query: z.string().min(1).describe('What the documents are compared to.'),
  documents: z
    .array(document)
    .min(1)
    .max(RERANK_DOCUMENTS_MAX)
    .describe(`At most ${RERANK_DOCUMENTS_MAX} texts, or objects as the model reads them, such as \`{"text": "…"}\`.`),
  top_n: z.int().min(1).nullish().describe('How many results are returned; all where none is named.'),
  return_documents: z.boolean().nullish().describe('False leaves the documents out of the results.'),
})

export type RerankRequest = z.output<typeof rerankRequest>

/** The documents, the most relevant first. */
export const rerankReply = z
  .looseObject({
    id: z.string(),
    object: z.literal('list'),
    model: z.string().describe('As the request named it.'),
    results: z.array(
      z.looseObject({
        index: z.int().min(0).describe('Place of the document in the request.'),
        relevance_score: z.number(),
        document: z.looseObject({}).optional().describe('A text is `{"text": "…"}`.'),
      }),
    ),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      total_tokens: z.int(),
      search_units: z.int().describe('A query with up to a hundred documents is one.'),
      cost: usdNumber.describe('The charge in USD.'),
    }),
    meta: z
      .looseObject({ billed_units: z.looseObject({ search_units: z.int(), input_tokens: z.int() }) })
      .describe("The same counts, where Cohere's clients read them."),
    svc: chatCharge,
  })
  .meta({ id: 'RerankReply' })
