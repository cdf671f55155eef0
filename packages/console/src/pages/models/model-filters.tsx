import { modelTypes } from '@svc/contract'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { CONTEXTS, modelSorts, type ModelsSearch, type ModelSort, PRICES, trainingFilters } from '../../app/search.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { trainingText } from '../../ui/training-mark.tsx'
import { contextText } from './modalities.tsx'
import { type Model, providerOf, valuesOf } from './model-list.ts'

interface ModelFiltersProps {
  readonly models: readonly Model[]
  readonly search: ModelsSearch
  /** @param change undefined takes a filter away. */
  readonly onSet: (change: { readonly [Name in keyof ModelsSearch]?: ModelsSearch[Name] | undefined }) => void
}

const SORTS: Readonly<Record<ModelSort, string>> = {
  name: 'Name',
  input: 'Input price',
  output: 'Output price',
  context: 'Longest context',
  newest: 'Newest',
  speed: 'Fastest',
  first: 'First token',
  success: 'Most reliable',
}

/** Filters that are seen when they are asked for, or set. */
const MORE = ['training', 'gives', 'context', 'parameter', 'price'] as const

const plain = (values: readonly string[], all: string) => [
  { value: '', text: all },
  ...values.map((value) => ({ value, text: value })),
]

const orNone = (value: string): string | undefined => (value === '' ? undefined : value)

/** What the list is narrowed to, and its order. All of it is in the address. */
export function ModelFilters({ models, search, onSet }: ModelFiltersProps) {
  const [isOpen, setOpen] = useState(() => MORE.some((name) => search[name] !== undefined))
  const set = (name: keyof ModelsSearch) => (value: string) => onSet({ [name]: orNone(value) })
  const { q = '', type = '', provider = '', takes = '', sort = '' } = search
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-[minmax(12rem,1fr)_9rem_11rem_9rem_11rem_auto]">
        <div className="max-md:col-span-2">
          <TextField
            label="Search"
            type="search"
            value={q}
            placeholder="gpt, claude, flux …"
            onChange={({ target }) => onSet({ q: orNone(target.value) })}
          />
        </div>
        <SelectField label="Kind" value={type} options={plain(modelTypes, 'All kinds')} onPick={set('type')} />
        <SelectField
          label="Provider"
          value={provider}
          options={plain(
            valuesOf(models, (model) => [providerOf(model)]),
            'All',
          )}
          onPick={set('provider')}
        />
        <SelectField
          label="Takes"
          value={takes}
          options={plain(
            valuesOf(models, ({ architecture }) => architecture.input_modalities),
            'Anything',
          )}
          onPick={set('takes')}
        />
        <SelectField
          label="Order"
          value={sort.replace(/^-/, '')}
          options={[
            { value: '', text: 'Featured first' },
            ...modelSorts.map((value) => ({ value, text: SORTS[value] })),
          ]}
          onPick={(value) => onSet({ sort: orNone(value) as ModelsSearch['sort'] })}
        />
        <Button look="secondary" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className="max-md:col-span-2">
          <SlidersHorizontal size={14} aria-hidden />
          More filters
        </Button>
      </div>
      {isOpen && <FurtherFilters models={models} search={search} onSet={onSet} />}
    </div>
  )
}

function FurtherFilters({ models, search, onSet }: ModelFiltersProps) {
  const set = (name: keyof ModelsSearch) => (value: string) => onSet({ [name]: orNone(value) })
  const { training = '', gives = '', context, parameter = '', price = '' } = search
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-5">
      <SelectField
        label="Gives"
        value={gives}
        options={plain(
          valuesOf(models, ({ architecture }) => architecture.output_modalities),
          'Anything',
        )}
        onPick={set('gives')}
      />
      <SelectField
        label="Context of at least"
        value={String(context ?? '')}
        options={[
          { value: '', text: 'Any' },
          ...CONTEXTS.map((tokens) => ({ value: String(tokens), text: contextText(tokens) })),
        ]}
        onPick={(value) => onSet({ context: value === '' ? undefined : Number(value) })}
      />
      <SelectField
        label="Supports"
        value={parameter}
        options={plain(
          valuesOf(models, ({ supported_parameters: names }) => names),
          'Anything',
        )}
        onPick={set('parameter')}
      />
      <SelectField
        label="Output or unit up to"
        value={price}
        options={[
          { value: '', text: 'Any price' },
          ...PRICES.map((credits) => ({ value: credits, text: `${Number(credits).toLocaleString()} credits` })),
        ]}
        onPick={set('price')}
      />
      <SelectField
        label="Prompts"
        value={training}
        options={[
          { value: '', text: 'All' },
          ...trainingFilters.map((value) => ({ value, text: trainingText(value === 'unknown' ? null : value) })),
        ]}
        onPick={set('training')}
      />
    </div>
  )
}
