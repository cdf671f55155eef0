import { Worker } from 'node:worker_threads'

/**
 * Runs a thread that answers once: its reads may be long and must hold up no request.
 *
 * @throws when the thread fails, or the signal ends it.
 */
export function runInThread<Answer>(thread: URL, workerData: unknown, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted()
  const worker = new Worker(thread, { workerData })
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      void worker.terminate()
      reject(signal.reason instanceof Error ? signal.reason : new Error('the thread was ended'))
    }
    signal.addEventListener('abort', stop, { once: true })
    let answer: { readonly value: Answer } | null = null
    worker.once('message', (value: Answer) => {
      answer = { value }
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      if (answer === null) reject(new Error('a thread ended without an answer'))
      else resolve(answer.value)
    })
  })
}
