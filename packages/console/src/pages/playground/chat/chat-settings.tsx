import { Plus, X } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Field, inputLook } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { type Choice, ModelPicker } from '../model-picker.tsx'
import { NumberField } from '../number-field.tsx'
import { LANES_MAX, type Parameters } from './conversation.ts'

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
      <SelectField
        label="Format"
        value={parameters.format}
        options={[
          { value: 'text', text: 'Text' },
          { value: 'json', text: 'JSON' },
        ]}
        onPick={(format) => set({ format: format === 'json' ? 'json' : 'text' })}
      />
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
