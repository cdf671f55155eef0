/** Composition root of the thread that makes checkpoints. It is never imported: it is started as a thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveCheckpoints } from '../platform/db/serve-checkpoints.ts'

if (parentPort !== null) serveCheckpoints(parentPort, (workerData as { readonly path: string }).path)
