import { ChargeLine } from './pay/charge-line.tsx'
import { PlayFailure } from './pay/play-failure.tsx'
import type { Run } from './run-store.ts'

/** How a run ended: its failure, and what it cost. */
export function RunFooter({ run, onAgain }: { readonly run: Run; readonly onAgain?: () => void }) {
  return (
    <div className="flex flex-col gap-2">
      {run.failure !== null && (
        <PlayFailure
          facts={{ ...run.failure, requestId: run.failure.requestId ?? run.requestId }}
          {...(onAgain === undefined ? {} : { onAgain })}
        />
      )}
      {run.state === 'cut' && (
        <p className="text-[12px] text-warning">The page was left before it came. What was made is charged.</p>
      )}
      {run.state !== 'running' && (
        <ChargeLine
          charge={run.charge}
          requestId={run.requestId}
          isEstimated={run.isEstimated}
          isPending={run.charge === null}
        />
      )}
    </div>
  )
}
