import { Plus, Wrench, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Field, inputLook } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { type Choice, ModelPicker } from '../model-picker.tsx'
import { NumberField } from '../number-field.tsx'
import { EFFORTS, LANES_MAX, type Parameters, type ToolSpec } from './conversation.ts'
import { objectFrom } from './tool-rounds.ts'
import { ToolsDialog } from './tools-dialog.tsx'

interface ChatSettingsProps {
  readonly models: readonly string[]
  readonly parameters: Parameters
  readonly choices: readonly Choice[]
  readonly onModels: (models: readonly string[]) => void
  readonly onParameters: (parameters: Parameters) => void
}

/** Which models answer, and how. What is left empty is left to the model. */
export function ChatSettings({ models, parameters, choices, onModels, onParameters }: ChatSettingsProps) {
  const set = (change: Partial<Parameters>): void => onParameters({ ...parameters, ...change })
  return (
    <div className="flex flex-col gap-4">
      <Lanes models={models} choices={choices} onModels={onModels} />
      <Field label="System prompt">
        {(tied) => (
          <textarea
            {...tied}
            rows={3}
            placeholder="How the model shall behave"
            className={`${inputLook} h-auto max-h-60 resize-y py-2`}
            value={parameters.system}
            onChange={(event) => set({ system: event.target.value })}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label="Temperature"
          value={parameters.temperature}
          bounds={{ min: 0, max: 2, step: 0.1 }}
          onSet={(temperature) => set({ temperature })}
        />
        <NumberField
          label="Top P"
          value={parameters.topP}
          bounds={{ min: 0, max: 1, step: 0.05 }}
          onSet={(topP) => set({ topP })}
        />
        <NumberField
          label="Max tokens"
          value={parameters.maxTokens}
          bounds={{ min: 1, max: 1_000_000, step: 1 }}
          onSet={(maxTokens) => set({ maxTokens })}
        />
        <NumberField
          label="Seed"
          value={parameters.seed}
          bounds={{ min: 0, max: 4_294_967_295, step: 1 }}
          onSet={(seed) => set({ seed })}
        />
      </div>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Format"
          value={parameters.format}
          options={FORMATS}
          onPick={(picked) => set({ format: FORMATS.find(({ value }) => value === picked)?.value ?? 'text' })}
        />
        <SelectField
          label="Reasoning"
          value={parameters.effort ?? ''}
          options={EFFORT_OPTIONS}
          onPick={(picked) => set({ effort: EFFORTS.find((effort) => effort === picked) ?? null })}
        />
      </div>
      {parameters.format === 'schema' && (
        <Field
          label="JSON Schema"
          hint="Of the answer. Strict: every property is required, and no other is allowed."
          problem={
            parameters.schema === '' || objectFrom(parameters.schema) !== null ? null : 'This is no JSON object.'
          }
        >
          {(tied) => (
            <textarea
              {...tied}
              rows={6}
              spellCheck={false}
              placeholder={SCHEMA_EXAMPLE}
              className={`${inputLook} h-auto max-h-80 resize-y py-2 font-mono text-[12.5px]`}
              value={parameters.schema}
              onChange={(event) => set({ schema: event.target.value })}
            />
          )}
        </Field>
      )}
      <Tools tools={parameters.tools} onTools={(tools) => set({ tools })} />
    </div>
  )
}

const FORMATS = [
  { value: 'text', text: 'Text' },
  { value: 'json', text: 'JSON' },
  { value: 'schema', text: 'JSON Schema' },
] as const

const EFFORT_OPTIONS = [
  { value: '', text: 'default' },
  ...EFFORTS.map((effort) => ({ value: effort, text: effort })),
] as const

const SCHEMA_EXAMPLE = `{
  "type": "object",
  "properties": { "city": { "type": "string" } },
  "required": ["city"],
  "additionalProperties": false
}`

interface ToolsProps {
  readonly tools: readonly ToolSpec[]
  readonly onTools: (tools: readonly ToolSpec[]) => void
}

/** Which tools the models may call, in a word; they are written in a dialog. */
function Tools({ tools, onTools }: ToolsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex flex-col gap-1.5">
      <span className="font-medium">Tools</span>
      <Button look="secondary" className="justify-start!" onClick={() => setOpen(true)}>
        <Wrench size={14} className="text-soft" aria-hidden />
        <span className="truncate">{tools.length === 0 ? 'None' : tools.map(({ name }) => name).join(', ')}</span>
      </Button>
      {isOpen && <ToolsDialog tools={tools} onTools={onTools} onClose={() => setOpen(false)} />}
    </div>
  )
}

function Lanes({ models, choices, onModels }: Pick<ChatSettingsProps, 'models' | 'choices' | 'onModels'>) {
  return (
    <div className="flex flex-col gap-2">
      <span className="font-medium">{models.length > 1 ? 'Models, side by side' : 'Model'}</span>
      {models.map((model, lane) => (
        <div key={lane} className="flex items-center gap-1">
          <ModelPicker
            label={models.length > 1 ? `Model ${lane + 1}` : 'Model'}
            value={model}
            choices={choices}
            onPick={(id) => onModels(models.with(lane, id))}
          />
          {models.length > 1 && (
            <Button
              look="quiet"
              className="px-1.5!"
              aria-label={`Leave model ${lane + 1} out`}
              onClick={() => onModels(models.filter((_, each) => each !== lane))}
            >
              <X size={14} aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {models.length < LANES_MAX && (
        <Button look="quiet" className="self-start px-2!" onClick={() => onModels([...models, models[0] ?? ''])}>
          <Plus size={14} aria-hidden />
          Compare with another
        </Button>
      )}
    </div>
  )
}
