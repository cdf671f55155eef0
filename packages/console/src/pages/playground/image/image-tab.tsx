import { type Exact, type ImageModelEntry, shortDecimal } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/page.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { attachmentOf } from '../attachments.ts'
import { CodeDialog } from '../../../samples/code-dialog.tsx'
import { imageCode } from '../../../samples/request-code.ts'
import { useAskedModel } from '../asked-model.ts'
import { ModelPicker } from '../model-picker.tsx'
import { NumberField } from '../number-field.tsx'
import { useImageInput } from '../image-input.tsx'
import { PlayFrame } from '../play-frame.tsx'
import { imageModelsQuery } from '../../../api/media-models.ts'
import { PromptForm } from '../prompt-form.tsx'
import { nameOfAgain, newRun } from '../run-store.ts'
import { useRuns } from '../use-play.ts'
import { type ImageRun, makeImages } from './image-request.ts'
import { imageBodyOf, type ImageWishes, sizeOf, sizesOf } from './image-wishes.ts'
import { ImageRunCard } from './image-run-card.tsx'

const EXAMPLE = 'A lighthouse in the fog'
const FIRST_MODEL = 'svc-image'
const COUNTS = ['1', '2', '3', '4'] as const
const INPUTS_MAX = 4

const IDLE: Omit<ImageWishes, 'model'> = { prompt: '', count: 1, size: '', quality: '', seed: null, inputs: [] }

/** Images from words, and from other images. */
export function ImageTab() {
  const { data: models } = useSuspenseQuery(imageModelsQuery).data
  const usual = models.find(({ id }) => id === FIRST_MODEL)?.id ?? models[0]?.id ?? FIRST_MODEL
  const first = useAskedModel(models) ?? usual
  const [wishes, setWishes] = useState<ImageWishes>({ ...IDLE, model: first })
  const set = (change: Partial<ImageWishes>): void => setWishes((before) => ({ ...before, ...change }))
  const model = models.find(({ id }) => id === wishes.model)
  const input = useImageInput(Math.min(INPUTS_MAX, model?.max_input_images ?? INPUTS_MAX))
  const { store, state } = useRuns<ImageRun>('image')
  const [showsCode, setCode] = useState(false)
  const whole: ImageWishes = { ...wishes, inputs: input.images }
  const make = (asked: ImageWishes, name: string): void => {
    const run = { ...newRun(asked.model, name), wishes: asked, images: [], partial: null }
    void store.start(run, makeImages(asked))
  }
  const reuse = async (image: Blob): Promise<void> => {
    const file = new File([image], 'image', { type: image.type })
    input.set([await attachmentOf(file)])
    scrollTo({ top: 0 })
  }
  return (
    <PlayFrame settings={<ImageSettings models={models} model={model} wishes={wishes} onSet={set} />}>
      <PromptForm
        label="What the image shows"
        placeholder={input.images.length > 0 ? 'What shall be changed' : EXAMPLE}
        text={wishes.prompt}
        onText={(prompt) => set({ prompt })}
        size={sizeOf(whole)}
        action={input.images.length > 0 ? 'Change it' : wishes.count > 1 ? `Make ${wishes.count}` : 'Make it'}
        content={JSON.stringify([wishes, input.images.map(({ name }) => name)])}
        onSubmit={(name) => make(whole, name)}
        onCode={() => setCode(true)}
        {...(model?.supports_edits === false ? {} : { images: { input, label: 'Add images to change' } })}
      />
      {state.isReady && state.runs.length === 0 && (
        <Empty
          text="Say what an image shall show. What is made stays in this browser."
          action={
            <Button look="secondary" onClick={() => set({ prompt: EXAMPLE })}>
              Take an example
            </Button>
          }
        />
      )}
      {state.runs.map((run) => (
        <ImageRunCard
          key={run.id}
          run={run}
          onReuse={(image) => void reuse(image)}
          onAgain={() => make(run.wishes, nameOfAgain(run))}
          onRemove={() => store.remove(run.id)}
        />
      ))}
      {showsCode && (
        <CodeDialog
          code={(place) => imageCode(place, { ...imageBodyOf(whole) }, whole.inputs.length)}
          onClose={() => setCode(false)}
        />
      )}
    </PlayFrame>
  )
}

interface ImageSettingsProps {
  readonly models: readonly Exact<ImageModelEntry>[]
  readonly model: Exact<ImageModelEntry> | undefined
  readonly wishes: ImageWishes
  readonly onSet: (change: Partial<ImageWishes>) => void
}

const optionsOf = (values: readonly string[]) => [
  { value: '', text: 'The model’s own' },
  ...values.map((value) => ({ value, text: value })),
]

function ImageSettings({ models, model, wishes, onSet }: ImageSettingsProps) {
  const choices = models.map(({ id, name, credits_per_image: credits }) => ({
    id,
    name,
    price: `from ${shortDecimal(credits)}`,
  }))
  const qualities = model?.supported_qualities ?? []
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <span className="font-medium">Model</span>
        <ModelPicker
          label="Model"
          value={wishes.model}
          choices={choices}
          onPick={(id) => onSet({ model: id, size: '', quality: '' })}
        />
      </div>
      <SelectField
        label="Size"
        value={wishes.size}
        options={optionsOf(sizesOf(model))}
        onPick={(size) => onSet({ size })}
      />
      {qualities.length > 0 && (
        <SelectField
          label="Quality"
          value={wishes.quality}
          options={optionsOf(qualities)}
          onPick={(quality) => onSet({ quality })}
        />
      )}
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Images"
          value={String(wishes.count)}
          options={COUNTS.filter((count) => Number(count) <= (model?.max_n ?? COUNTS.length)).map((count) => ({
            value: count,
            text: count,
          }))}
          onPick={(count) => onSet({ count: Number(count) })}
        />
        <NumberField
          label="Seed"
          value={wishes.seed}
          bounds={{ min: 0, max: 4_294_967_295, step: 1 }}
          onSet={(seed) => onSet({ seed })}
        />
      </div>
    </>
  )
}
