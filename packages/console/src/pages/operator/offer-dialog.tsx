import {
  consoleEndpoints,
  MARGIN_TEXT,
  type OfferChange,
  type OfferPrice,
  type OfferRoute,
  type Offers,
} from '@svc/contract'
import { consoleApi } from '../../api/client.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { OfferPreviewTable } from './offer-preview.tsx'
import { PreviewDialog, usePreviewedChange } from './previewed-change.tsx'
import { PriceFields, readPrice } from './price-fields.tsx'
import { readRoute, RouteFields } from './route-fields.tsx'

/** What is set now; null for something new. */
export type OfferDraft =
  | { readonly kind: 'price'; readonly id: string; readonly value: OfferPrice | null }
  | { readonly kind: 'route'; readonly id: string; readonly value: OfferRoute | null }

interface OfferDialogProps {
  readonly draft: OfferDraft
  readonly offers: Offers
  readonly onClose: () => void
}

/** Sets a price or a route in two steps: what it shall be, and what that changes. */
export function OfferDialog({ draft, offers, onClose }: OfferDialogProps) {
  const { preview, apply, seen, back } = usePreviewedChange({
    look: (change: OfferChange) => consoleApi.call(consoleEndpoints.previewOffer, { body: { change } }),
    make: (body) => consoleApi.call(consoleEndpoints.changeOffer, { body }),
    onDone: onClose,
  })
  const isNew = draft.value === null
  const title = isNew ? `Set a ${draft.kind}` : `The ${draft.kind} of ${draft.id}`
  if (seen !== null) {
    const { change, found } = seen
    return (
      <PreviewDialog
        title={title}
        action={change.value === null ? 'Remove it' : 'Apply it'}
        run={apply}
        onApply={(reason) => apply.mutate({ change, reason })}
        onBack={back}
        onClose={onClose}
      >
        <OfferPreviewTable preview={found} />
      </PreviewDialog>
    )
  }
  return (
    <Dialog title={title} lead={LEADS[draft.kind]} look="wide" onClose={onClose}>
      <ActionForm
        action="Preview"
        run={preview}
        onClose={onClose}
        onSubmit={(text) => {
          const id = isNew ? text('id').trim() : draft.id
          preview.mutate(
            draft.kind === 'price'
              ? { kind: 'price', id, value: readPrice(text) }
              : { kind: 'route', id, value: readRoute(text) },
          )
        }}
      >
        {isNew && (
          <TextField
            label={draft.kind === 'price' ? 'Id of the model, as its upstream knows it' : 'Alias, or id of the model'}
            name="id"
            required
            maxLength={200}
            autoComplete="off"
            placeholder="openai/gpt-5"
          />
        )}
        {draft.kind === 'price' ? (
          <PriceFields value={draft.value} />
        ) : (
          <RouteFields value={draft.value} upstreams={offers.upstreams.map(({ name }) => name)} />
        )}
        {!isNew && (
          <Button
            look="quiet"
            className="self-start"
            isBusy={preview.isPending}
            onClick={() => preview.mutate({ kind: draft.kind, id: draft.id, value: null })}
          >
            Preview without it
          </Button>
        )}
      </ActionForm>
    </Dialog>
  )
}

const LEADS = {
  price:
    `What the model costs upstream, in US dollars. It is sold at that + ${MARGIN_TEXT}, or by the rate card where that ` +
    'is more.',
  route:
    'Who serves it. Without weights the upstreams are asked in this order; with weights each request draws the first.',
} as const
