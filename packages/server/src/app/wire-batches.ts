/** What batches are given, made from the parts and from what requests are given. Part of the composition. */
import { nanocreditsOf } from '@svc/contract'
import { createBatchLineStore } from '../batches/batch-line-store.ts'
import { BatchRunner } from '../batches/batch-runner.ts'
import type { BatchDeps } from '../batches/batch-deps.ts'
import { createBatchStore } from '../batches/batch-store.ts'
import { LineSlots } from '../batches/line-slots.ts'
import { createUsageStore } from '../money/billing/usage-store.ts'
import type { UploadDeps } from '../uploads/upload-deps.ts'
import type { Parts } from './open-parts.ts'
import { requestOutcome } from './request-outcome.ts'
import type { EdgeDeps } from './routes.ts'

/** What the endpoints of batches are given. */
export function wireBatches({ database, clock, config, batchNames: names }: Parts, uploads: UploadDeps): BatchDeps {
  return { store: createBatchStore(database), uploads, clock, names, cardPercent: config.batches.pricePercent }
}

/** Makes this process's part in the work on batches: one for each process. */
export function makeBatchRunner(parts: Parts, edge: EdgeDeps): BatchRunner {
  const { database, clock, processId, leases, openHolds, config, log, authenticator, observation } = parts
  const usage = createUsageStore(database)
  return new BatchRunner({
    ...edge.batches,
    ...{ clock, processId, log, authenticator, chat: edge.chat, keptItems: edge.keptItems },
    lines: createBatchLineStore(database),
    noteKeyUse: edge.noteKeyUse,
    onLine: (outcome) => observation.metrics?.batches.lineEnded(outcome),
    onEnded: (state) => observation.metrics?.batches.ended(state),
    outcomeOf: requestOutcome(database, { clock, processId, leases }),
    async chargeOf({ callerId: keyId, requestId }) {
      const record = await usage.find({ keyId }, requestId)
      return record === null ? null : nanocreditsOf(record.charge)
    },
    secrets: config.peppers,
    slots: new LineSlots({ most: config.batches.linesAtOnce, running: () => openHolds.running }),
    leaseMs: config.limits.leaseMs,
  })
}
