import { eventsOf, json, type PublicServer } from '../../__fixtures__/public-server.ts'

const head = { modelVersion: 'gemini-x', responseId: 'mAj' }
const counted = {
  ...{ promptTokenCount: 21, candidatesTokenCount: 9, thoughtsTokenCount: 30, totalTokenCount: 60 },
  ...{ cachedContentTokenCount: 5, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 21 }] },
}
const chunk = (parts: readonly object[], finishReason: string | null = null, usageMetadata: object = counted) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason === null ? {} : { finishReason }) }],
  ...{ usageMetadata, ...head },
})
const begun = { promptTokenCount: 21, totalTokenCount: 21 }

export const gemini: PublicServer = {
  server: 'Gemini',
  kind: 'gemini',
  source: 'https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/thought-signatures',
  answers: [
    {
      name: 'thoughts, and a signature on an empty last part',
      whole: json(chunk([{ text: 'Twelve.', thought: true }, { text: 'Noon.', thoughtSignature: 'c2ln' }], 'STOP')),
      events: eventsOf(
        chunk([{ text: 'Twelve.', thought: true }], null, begun),
        chunk([{ text: 'Noon.' }], null, begun),
        chunk([{ text: '', thoughtSignature: 'c2ln' }], 'STOP'),
      ),
      reads: { text: 'Noon.', reasoning: 'Twelve.' },
      tokens: [21, 5, 39],
    },
    {
      name: 'a call with a signature, whose input is an object',
      whole: json(chunk([{ functionCall: { name: 'clock', args: { zone: 'UTC' } }, thoughtSignature: 'c2ln' }], 'STOP')),
      events: eventsOf(
        chunk([{ functionCall: { name: 'clock', args: { zone: 'UTC' } }, thoughtSignature: 'c2ln' }], null, begun),
        chunk([{ text: '' }], 'STOP'),
      ),
      reads: { text: '', calls: [['clock', '{"zone":"UTC"}']], finish: 'tool_calls' },
      tokens: [21, 5, 39],
    },
  ],
  failures: [
    {
      name: 'a prompt that is blocked',
      whole: json({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: begun, ...head }),
      events: eventsOf({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: begun, ...head }),
      code: 'content_policy_violation',
    },
    {
      name: 'a model that is overloaded',
      status: 503,
      whole: json({ error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } }),
      code: 'server_is_overloaded',
    },
  ],
}
