/** The thread that compiles contracts for local chains. It is never imported: it is started as a thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { compileContracts, LOCAL_CONTRACTS } from './compile-contracts.ts'

parentPort?.postMessage(await compileContracts([LOCAL_CONTRACTS], String(workerData)))
