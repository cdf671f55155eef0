import { ApiError, consoleEndpoints } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { textLink } from '../../ui/text-link.ts'

/** A request is in the log within a second after it has ended. */
const AGAIN_MS = 1_000
const TRIES = 5

/** Downloads the receipt of a request, and leads to where it can be checked. */
export function ReceiptButton({ requestId }: { readonly requestId: string }) {
  const team = useTeam()
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    setError(null)
    setBusy(true)
    try {
      const receipt = await fetchReceipt(team.id, requestId)
      const text = JSON.stringify(receipt, null, 2)
      saveFile(`receipt-${requestId}.json`, new Blob([text], { type: 'application/json' }))
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error('The receipt could not be fetched.'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="flex flex-col items-start gap-2">
      <Button look="secondary" isBusy={isBusy} onClick={() => void download()}>
        <Download size={14} aria-hidden />
        Download the receipt
      </Button>
      <p className="text-[12px] text-soft">
        It proves this charge.{' '}
        <Link to="/receipt" className={textLink}>
          Check a receipt
        </Link>
      </p>
      <Failure error={error} />
    </section>
  )
}

async function fetchReceipt(teamId: string, requestId: string): Promise<unknown> {
  const path = { team_id: teamId, request_id: requestId }
  for (let left = TRIES; ; left--) {
    try {
      return await consoleApi.call(consoleEndpoints.getTeamReceipt, { path })
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.code !== 'receipt_pending') throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}
