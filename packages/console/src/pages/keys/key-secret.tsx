import type { MadeTeamKey } from '@svc/contract'
import { Download } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useSession } from '../../api/session.ts'

interface KeySecretProps {
  readonly made: MadeTeamKey
  /** Called when it was copied or downloaded: the dialog may then close without a question. */
  readonly onKept: () => void
}

/** The key itself, the one time that it can be seen. */
export function KeySecret({ made, onKept }: KeySecretProps) {
  const { gateway } = useSession()
  const download = (): void => {
    const text = `OPENAI_BASE_URL=${gateway.api_base_url}\nOPENAI_API_KEY=${made.key}\n`
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = '.env'
    link.click()
    URL.revokeObjectURL(link.href)
    onKept()
  }
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-accent/40 bg-accent-soft p-4">
      <p className="font-mono text-[15px] leading-6 break-all select-all" data-testid="key-secret">
        {made.key}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={made.key} what="the key" look="primary" onCopied={onKept} autoFocus>
          Copy the key
        </CopyButton>
        <Button look="secondary" onClick={download}>
          <Download size={14} aria-hidden />
          Download .env
        </Button>
      </div>
      <p className="text-[12px] text-soft">This is the only time it is shown: the gateway keeps no copy of it.</p>
    </div>
  )
}
