import { useSignedIn } from '../api/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CodeTabs } from './code-tabs.tsx'
import { type CodePlace, KEY_HINT, KEY_PLACE, type Sample } from './code-parts.ts'

interface CodeDialogProps {
  readonly code: (place: CodePlace) => readonly Sample[]
  readonly onClose: () => void
}

/** The request that the button would send, as code. */
export function CodeDialog({ code, onClose }: CodeDialogProps) {
  const { gateway } = useSignedIn()
  return (
    <Dialog title="The same request as code" lead={KEY_HINT} look="drawer" onClose={onClose}>
      <CodeTabs samples={code({ baseUrl: gateway.api_base_url, key: KEY_PLACE })} />
    </Dialog>
  )
}
