import { clsx } from 'clsx'
import { ChevronsUpDown } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { modelsQuery } from '../../api/team.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { inputLook } from '../../ui/field.tsx'
import { type Training, TrainingMark, trainingText } from '../../ui/training-mark.tsx'

export interface Choice {
  readonly id: string
  readonly name: string
  /** What it costs, in short. */
  readonly price: ReactNode
}

interface ModelPickerProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onPick: (id: string) => void
}

/** Models of a list at most: more of them are found by typing. */
const SHOWN_MAX = 80

/** A button that shows the model, and a list to search. Ids that are in no list can be typed as well. */
export function ModelPicker({ label, value, choices, onPick }: ModelPickerProps) {
  const [isOpen, setOpen] = useState(false)
  const training = useTraining().get(value) ?? null
  const pick = (id: string): void => {
    setOpen(false)
    onPick(id)
  }
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={training === null ? `${label}: ${value}` : `${label}: ${value}, ${trainingText(training)}`}
        className={clsx(inputLook, 'flex min-w-0 items-center justify-between gap-2 text-left')}
      >
        <span className="truncate font-mono text-[12.5px]">{value}</span>
        <StatedTraining training={training} />
        <ChevronsUpDown size={14} className="shrink-0 text-soft" aria-hidden />
      </button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <ModelList value={value} choices={choices} onPick={pick} />
        </Dialog>
      )}
    </>
  )
}

/** Nothing where nothing is stated: a mark at every model would mean nothing. */
function StatedTraining({ training }: { readonly training: Training }) {
  return training === null ? null : <TrainingMark training={training} />
}

/** What is said of models, by id. */
function useTraining(): ReadonlyMap<string, Training> {
  const { data } = useQuery(modelsQuery)
  return useMemo(() => {
    return new Map((data?.data ?? []).map(({ id, svc }) => [id, svc.prompt_training] as const))
  }, [data])
}

function ModelList({ value, choices, onPick }: Omit<ModelPickerProps, 'label'>) {
  const [search, setSearch] = useState('')
  const trainings = useTraining()
  const list = useRef<HTMLUListElement>(null)
  const words = search.toLowerCase().split(/\s+/)
  const found = choices.filter(({ id, name }) => words.every((word) => `${id} ${name}`.toLowerCase().includes(word)))
  const typed = search.trim()
  const isOther = typed.includes('/') && !choices.some(({ id }) => id === typed)
  const move = (event: KeyboardEvent, step: 1 | -1): void => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = buttons.findIndex((button) => button === document.activeElement)
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus()
    event.preventDefault()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') move(event, 1)
    else if (event.key === 'ArrowUp') move(event, -1)
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      const first = isOther ? typed : found[0]?.id
      if (first !== undefined) onPick(first)
      event.preventDefault()
    }
  }
  const row = 'flex w-full items-baseline justify-between gap-3 rounded px-2 py-1.5 text-left hover:bg-accent-soft'
  return (
    <div onKeyDown={onKeyDown} className="flex flex-col gap-2">
      <input
        type="search"
        autoFocus
        aria-label="Search models"
        placeholder="gpt, claude, flux …"
        className={inputLook}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul ref={list} aria-label="Models" className="-mx-2 flex max-h-[50dvh] flex-col overflow-y-auto p-0.5">
        {isOther && (
          <li>
            <button type="button" className={row} onClick={() => onPick(typed)}>
              <span className="truncate">
                Ask <span className="font-mono text-[12.5px]">{typed}</span>
              </span>
            </button>
          </li>
        )}
        {found.slice(0, SHOWN_MAX).map(({ id, name, price }) => (
          <li key={id}>
            <button
              type="button"
              className={clsx(row, id === value && 'bg-accent-soft')}
              aria-current={id === value || undefined}
              onClick={() => onPick(id)}
            >
              <span className="min-w-0">
                <span className="block font-mono text-[12.5px] wrap-anywhere">{id}</span>
                {name !== id && <span className="block truncate text-[12px] text-soft">{name}</span>}
                <StatedTraining training={trainings.get(id) ?? null} />
              </span>
              <span className="figures shrink-0 text-[12px] text-soft">{price}</span>
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="text-[12px] text-soft">
        {found.length === 0 && !isOther && 'No model matches.'}
        {found.length > SHOWN_MAX && `${found.length - SHOWN_MAX} more: type a part of the name.`}
      </p>
    </div>
  )
}
