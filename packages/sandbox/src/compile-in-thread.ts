import { Worker } from 'node:worker_threads'
import type { CompiledContracts } from './compile-contracts.ts'

const COMPILER = new URL('compile-contracts-worker.ts', import.meta.url)

/** Compiles the contracts of the local chains, or reads them from the cache, away from the main thread. */
export function compileInThread(cacheFolder: string): Promise<CompiledContracts> {
  const { promise, resolve, reject } = Promise.withResolvers<CompiledContracts>()
  const worker = new Worker(COMPILER, { workerData: cacheFolder, name: 'compile-contracts' })
  worker.unref()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the compiler ended without a result')))
  return promise
}
