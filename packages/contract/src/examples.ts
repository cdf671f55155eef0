/**
 * One example of each request and answer, shown in the OpenAPI document. A test holds each against its own schema.
 */
import type { endpoints } from './endpoints.ts'
import { accountExamples } from './examples/account.ts'
import { audioExamples } from './examples/audio.ts'
import { batchesExamples } from './examples/batches.ts'
import { chatExamples } from './examples/chat.ts'
import { depositsExamples } from './examples/deposits.ts'
import { devicesExamples } from './examples/devices.ts'
import { embeddingsExamples } from './examples/embeddings.ts'
import type { ExampleTable } from './examples/example.ts'
import { filesExamples } from './examples/files.ts'
import { logExamples } from './examples/log.ts'
import { keysExamples } from './examples/keys.ts'
import { imagesExamples } from './examples/images.ts'
import { modelsExamples } from './examples/models.ts'
import { rerankExamples } from './examples/rerank.ts'
import { moderationsExamples } from './examples/moderations.ts'
import { quotesExamples } from './examples/quotes.ts'
import { serviceExamples } from './examples/service.ts'
import { videosExamples } from './examples/videos.ts'
import { walletsExamples } from './examples/wallets.ts'

export const examples: ExampleTable<typeof endpoints> = {
  ...modelsExamples,
  ...chatExamples,
  ...embeddingsExamples,
  ...rerankExamples,
  ...moderationsExamples,
  ...imagesExamples,
  ...batchesExamples,
  ...filesExamples,
  ...videosExamples,
  ...audioExamples,
  ...quotesExamples,
  ...accountExamples,
  ...logExamples,
  ...depositsExamples,
  ...walletsExamples,
  ...keysExamples,
  ...devicesExamples,
  ...serviceExamples,
}

/** The body of a 402, with the fields that say what is missing. */
export const shortageExample = {
  error: {
    message:
      'Insufficient credits: this request needs up to 42.5 credits, 3.2 are available. ' +
      'Add credits or lower max_tokens.',
    type: 'insufficient_quota',
    param: null,
    code: 'insufficient_credits',
    credits_required: 42.5,
    credits_available: 3.2,
    credits_short: 39.3,
    affordable_max_tokens: 301,
    limit: 'account',
    topup_url: 'https://gateway.example/console/team/0198b2c4-5d6e-7f80-91a2-b3c4d5e6f708/fund',
  },
} as const
