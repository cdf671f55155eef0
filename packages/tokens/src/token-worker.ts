/** Entry of the worker thread that counts tokens; loaded by `createTokenCounter`, never imported. */
import { parentPort } from 'node:worker_threads'
import { countTokens, splitIntoTokens } from './count-tokens.ts'
import type { TokenJob, TokenWorkerMessage } from './token-jobs.ts'

parentPort?.on('message', (jobs: readonly TokenJob[]) => {
  const results = jobs.map((job) => (job.kind === 'count' ? countTokens(job.text) : splitIntoTokens(job.text)))
  send({ kind: 'done', results })
})

countTokens('Loads the tokenizer before the first job is timed.')
send({ kind: 'ready' })

function send(message: TokenWorkerMessage): void {
  parentPort?.postMessage(message)
}
