import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { modelsQuery } from '../../api/team.ts'
import { TextField } from '../../ui/field.tsx'

interface ModelPickerProps {
  readonly models: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}

/** Picks models by their ids; none allows all. */
export function ModelPicker({ models, onChange }: ModelPickerProps) {
  const { data } = useQuery(modelsQuery)
  const known = data?.data.map(({ id }) => id) ?? []
  const [text, setText] = useState('')
  const pick = (typed: string): void => {
    if (!known.includes(typed) || models.includes(typed)) {
      setText(typed)
      return
    }
    onChange([...models, typed])
    setText('')
  }
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Models"
        list="known-models"
        placeholder={models.length === 0 ? 'all models' : 'add another'}
        value={text}
        onChange={(event) => pick(event.target.value)}
        autoComplete="off"
        hint="Only these can be used with the key. Leave it empty to allow all."
      />
      <datalist id="known-models">
        {known.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {models.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {models.map((id) => (
            <li key={id}>
              <button
                type="button"
                className="inline-flex items-center gap-1.5 rounded bg-accent-soft px-2 py-1 text-left
                  font-mono text-[12px] wrap-anywhere hover:bg-line"
                aria-label={`Remove ${id}`}
                onClick={() => onChange(models.filter((model) => model !== id))}
              >
                {id}
                <X size={12} className="shrink-0 text-soft" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
