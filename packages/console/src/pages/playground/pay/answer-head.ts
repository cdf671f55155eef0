import type { FetchResponse } from '@svc/contract'

/** What is known of an answer once its headers are there. */
export type AnswerHead = Pick<FetchResponse, 'status' | 'headers'>

/** What refuses a request before anything can be charged. Time-outs and conflicts may come after. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 413, 422, 429])

/** Whether an answer's status alone says that nothing was charged. */
export const isRefusal = (status: number): boolean => REFUSALS.has(status)
