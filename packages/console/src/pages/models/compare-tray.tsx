import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { contextText } from './modalities.tsx'
import { type Model, providerOf, secondsText, shareText, type Speed, unitPriceOf } from './model-list.ts'
import { TryLink } from './try-link.tsx'

interface CompareTrayProps {
  readonly models: readonly Model[]
  readonly speeds: ReadonlyMap<string, Speed>
  readonly onRemove: (id: string) => void
  readonly onClear: () => void
}

/** The models that were picked, at the lower edge of the page; the table of them is above it. */
export function CompareTray({ models, speeds, onRemove, onClear }: CompareTrayProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <section
        aria-label="Compared models"
        className="sticky bottom-[calc(var(--bar)+0.75rem)] z-10 flex flex-wrap items-center gap-2 rounded-lg border
          border-line bg-raised p-2.5 shadow-[0_8px_28px_rgb(0_0_0/0.16)]"
      >
        {models.map(({ id, name }) => (
          <span key={id} className="flex max-w-56 items-center gap-1 rounded bg-sunken py-0.5 pr-1 pl-2.5">
            <span className="truncate">{name}</span>
            <button
              type="button"
              onClick={() => onRemove(id)}
              aria-label={`Compare ${name} no more`}
              className="inline-flex size-[24px] items-center justify-center rounded text-soft hover:text-text"
            >
              <X size={14} aria-hidden />
            </button>
          </span>
        ))}
        <span className="flex-1" />
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
        <Button onClick={() => setOpen(true)} disabled={models.length < 2}>
          Compare {models.length}
        </Button>
      </section>
      {isOpen && (
        <Dialog title="Compared models" look="wide" onClose={() => setOpen(false)}>
          <ComparedTable models={models} speeds={speeds} />
        </Dialog>
      )}
    </>
  )
}

interface Row {
  readonly name: string
  readonly read: (model: Model, speed: Speed | undefined) => ReactNode
}

const perMillion = (value: Model['svc']['credits_per_1m_input']): ReactNode =>
  value === null ? null : <Credits value={value} withUsd />

const ROWS: readonly Row[] = [
  { name: 'Kind', read: ({ svc }) => svc.type },
  { name: 'Provider', read: providerOf },
  { name: 'Input per 1M tokens', read: ({ svc }) => perMillion(svc.credits_per_1m_input) },
  { name: 'Output per 1M tokens', read: ({ svc }) => perMillion(svc.credits_per_1m_output) },
  {
    name: 'Per unit',
    read: (model) => {
      const unit = unitPriceOf(model)
      return unit === null ? null : (
        <>
          <Credits value={unit.credits} withUsd /> per {unit.per}
        </>
      )
    },
  },
  { name: 'Context', read: ({ context_length: tokens }) => contextText(tokens) },
  { name: 'Output up to', read: ({ max_output_tokens: tokens }) => contextText(tokens) },
  { name: 'Takes', read: ({ architecture }) => architecture.input_modalities.join(', ') },
  { name: 'Gives', read: ({ architecture }) => architecture.output_modalities.join(', ') },
  { name: 'Supports', read: ({ supported_parameters: names }) => names.join(', ') },
  {
    name: 'Speed',
    read: (_model, speed) => speed?.tokens_per_second != null && `${Math.round(speed.tokens_per_second)} tokens/s`,
  },
  { name: 'First token', read: (_model, speed) => speed !== undefined && secondsText(speed.first_content_ms) },
  { name: 'Whole answer', read: (_model, speed) => speed !== undefined && secondsText(speed.duration_ms) },
  { name: 'Success', read: (_model, speed) => speed !== undefined && shareText(speed.success_rate) },
]

function ComparedTable({ models, speeds }: Pick<CompareTrayProps, 'models' | 'speeds'>) {
  const team = useTeam()
  const has = (content: ReactNode): boolean => content !== null && content !== false && content !== ''
  const rows = ROWS.map(({ name, read }) => ({
    name,
    cells: models.map((model) => ({ id: model.id, content: read(model, speeds.get(model.id)) })),
  })).filter(({ cells }) => cells.some(({ content }) => has(content)))
  return (
    <div className="overflow-x-auto" role="region" aria-label="Comparison" tabIndex={0}>
      <table className="w-full border-collapse text-left">
        <thead>
          <tr>
            <td />
            {models.map((model) => (
              <th key={model.id} className="min-w-40 px-3 py-2 align-top font-semibold">
                <Link
                  to="/team/$teamId/models/$modelId"
                  params={{ teamId: team.id, modelId: model.id }}
                  className="inline-block py-[3px] hover:text-accent"
                >
                  {model.name}
                </Link>
                <span className="mt-1 block font-normal">
                  <TryLink model={model} />
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name} className="border-t border-line/70">
              <th className="py-2 pr-3 align-top font-medium whitespace-nowrap text-soft">{name}</th>
              {cells.map(({ id, content }) => (
                <td key={id} className="px-3 py-2 align-top wrap-anywhere">
                  {has(content) ? content : <span className="text-soft">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
