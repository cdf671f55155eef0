import { KEY_HINT, type Sample } from '../../../samples/code-samples.ts'
import { CodeTabs } from '../../../samples/code-tabs.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

interface CodeDialogProps {
  readonly samples: readonly Sample[]
  readonly onClose: () => void
}

/** The request that the button would send, as code. */
export function CodeDialog({ samples, onClose }: CodeDialogProps) {
  return (
    <Dialog title="The same request as code" lead={KEY_HINT} look="drawer" onClose={onClose}>
      <CodeTabs samples={samples} />
    </Dialog>
  )
}
