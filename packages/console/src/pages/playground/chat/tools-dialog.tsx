import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, inputLook, TextField } from '../../../ui/field.tsx'
import type { ToolSpec } from './conversation.ts'
import { objectFrom } from './tool-rounds.ts'

/** Source: own choice; a conversation in a page needs few. */
const TOOLS_MAX = 16

const EXAMPLE: ToolSpec = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: `{
  "type": "object",
  "properties": { "city": { "type": "string" } },
  "required": ["city"]
}`,
  reply: '{ "sky": "clear", "celsius": 21 }',
}

const EMPTY: ToolSpec = { name: '', description: '', parameters: '', reply: null }

interface ToolsDialogProps {
  readonly tools: readonly ToolSpec[]
  readonly onTools: (tools: readonly ToolSpec[]) => void
  readonly onClose: () => void
}

/** Tools that the models may call, and what each of them replies. */
export function ToolsDialog({ tools, onTools, onClose }: ToolsDialogProps) {
  return (
    <Dialog
      title="Tools"
      lead="Functions that the model may call. A call is answered with the reply written here, in a further request that is charged too; without a reply you are asked for one."
      look="wide"
      onClose={onClose}
    >
      <div className="flex flex-col gap-5">
        {tools.map((tool, at) => (
          <ToolFields
            key={at}
            tool={tool}
            onTool={(changed) => onTools(tools.with(at, changed))}
            onRemove={() => onTools(tools.filter((_, each) => each !== at))}
          />
        ))}
        <div className="flex flex-wrap justify-between gap-2">
          {tools.length < TOOLS_MAX && (
            <Button look="secondary" onClick={() => onTools([...tools, tools.length === 0 ? EXAMPLE : EMPTY])}>
              <Plus size={14} aria-hidden />
              Add a tool
            </Button>
          )}
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  )
}

interface ToolFieldsProps {
  readonly tool: ToolSpec
  readonly onTool: (tool: ToolSpec) => void
  readonly onRemove: () => void
}

const code = `${inputLook} h-auto max-h-80 resize-y py-2 font-mono text-[12.5px]`

function ToolFields({ tool, onTool, onRemove }: ToolFieldsProps) {
  const set = (change: Partial<ToolSpec>): void => onTool({ ...tool, ...change })
  const isName = /^[\w-]{1,64}$/.test(tool.name)
  const isSchema = tool.parameters.trim() === '' || objectFrom(tool.parameters) !== null
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-4 md:grid-cols-2">
      <legend className="sr-only">{tool.name === '' ? 'A tool' : tool.name}</legend>
      <div className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoComplete="off"
          value={tool.name}
          problem={isName || tool.name === '' ? null : 'Letters, digits, _ and -, at most 64.'}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TextField
          label="What it does"
          autoComplete="off"
          value={tool.description}
          onChange={(event) => set({ description: event.target.value })}
        />
        <Field label="Reply" hint="What each call is answered with. Empty: you are asked.">
          {(tied) => (
            <textarea
              {...tied}
              rows={3}
              spellCheck={false}
              className={code}
              value={tool.reply ?? ''}
              onChange={({ target }) => set({ reply: target.value === '' ? null : target.value })}
            />
          )}
        </Field>
      </div>
      <div className="flex flex-col gap-3">
        <Field label="Parameters" hint="As JSON Schema." problem={isSchema ? null : 'This is no JSON object.'}>
          {(tied) => (
            <textarea
              {...tied}
              rows={9}
              spellCheck={false}
              className={code}
              value={tool.parameters}
              onChange={(event) => set({ parameters: event.target.value })}
            />
          )}
        </Field>
        <Button look="quiet" className="self-end" onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
          Remove {tool.name === '' ? 'the tool' : tool.name}
        </Button>
      </div>
    </fieldset>
  )
}
