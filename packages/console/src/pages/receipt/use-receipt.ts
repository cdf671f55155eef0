import { ApiError, consoleEndpoints } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { saveFile } from '../../ui/save-file.ts'

/** What a receipt is of. */
export interface Receipted {
  /** A request, or a line of the statement: a deposit, a grant or an adjustment. */
  readonly kind: 'request' | 'entry'
  readonly id: string
}

/** A line is in the log within a second after it was booked. */
const AGAIN_MS = 1_000
const TRIES = 5

/** Downloads the receipt of a request or of a transfer as a file. */
export function useReceipt(receipted: Receipted) {
  const team = useTeam()
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    setError(null)
    setBusy(true)
    try {
      const text = JSON.stringify(await fetchReceipt(team.id, receipted), null, 2)
      saveFile(`receipt-${plainName(receipted.id)}.json`, new Blob([text], { type: 'application/json' }))
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error('The receipt could not be fetched.'))
    } finally {
      setBusy(false)
    }
  }
  return { download, isBusy, error }
}

/** Ids of grants are the operator's: not every character of them may be in the name of a file. */
function plainName(id: string): string {
  return id.replaceAll(/[^\w.-]/g, '-')
}

async function fetchReceipt(teamId: string, { kind, id }: Receipted): Promise<unknown> {
  for (let left = TRIES; ; left--) {
    try {
      return kind === 'request'
        ? await consoleApi.call(consoleEndpoints.getTeamReceipt, { path: { team_id: teamId, request_id: id } })
        : await consoleApi.call(consoleEndpoints.getTeamEntryReceipt, { path: { team_id: teamId, entry_id: id } })
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.code !== 'receipt_pending') throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}
