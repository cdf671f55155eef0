import type { Operation, Parameter } from './operations.ts'

const control =
  'w-full rounded border border-line-strong bg-control px-2.5 py-1.5 font-mono text-[12.5px] placeholder:text-soft'

/** Sends the operation to this gateway. The script of the page does it, and shows what comes. */
export function RunForm({ operation }: { readonly operation: Operation }) {
  const { method, path, auth, bodies, parameters } = operation
  const json = bodies.find(({ type }) => type === 'application/json')
  const form = json === undefined ? bodies.find(({ type }) => type === 'multipart/form-data') : undefined
  const shown = parameters.filter(({ in: place }) => place !== 'header')
  return (
    <form
      data-run={auth}
      data-method={method}
      data-path={path}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <h2 className="font-semibold">Run</h2>
      {shown.map((parameter) => (
        <RunField key={parameter.name} parameter={parameter} />
      ))}
      {json !== undefined && (
        <label className="flex flex-col gap-1 text-[12px] text-soft">
          Body
          <textarea
            name="body"
            rows={10}
            spellCheck={false}
            className={`${control} text-text`}
            defaultValue={JSON.stringify(json.example ?? {}, null, 2)}
          />
        </label>
      )}
      {Object.entries(form?.schema.properties ?? {}).map(([name, { format }]) => (
        <label key={name} className="flex flex-col gap-1 text-[12px] text-soft">
          {name}
          <input
            name={`form:${name}`}
            type={format === 'binary' ? 'file' : 'text'}
            className={`${control} text-text`}
          />
        </label>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <button
          type="submit"
          className="rounded bg-accent px-3.5 py-1.5 font-medium text-on-accent hover:bg-accent-hover disabled:opacity-60"
        >
          Run
        </button>
        <button type="button" data-run-stop hidden className="rounded border border-line bg-control px-3 py-1.5">
          Stop
        </button>
        <span className="text-[12px] text-soft">
          {operation.isCharged ? 'Sent to this gateway, and charged as any request.' : 'Sent to this gateway.'}
        </span>
      </div>
      <div data-run-answer hidden className="flex min-w-0 flex-col gap-2 border-t border-line pt-3">
        <p role="status" data-run-status className="font-mono text-[12.5px]" />
        <div data-run-media className="empty:hidden" />
        <pre
          tabIndex={0}
          aria-label="Answer"
          data-run-text
          className="max-h-96 overflow-auto rounded-lg bg-sunken p-3 font-mono text-[12px] leading-5 whitespace-pre-wrap"
        />
      </div>
    </form>
  )
}

function RunField({ parameter: { name, in: place, required, schema } }: { readonly parameter: Parameter }) {
  return (
    <label className="flex flex-col gap-1 text-[12px] text-soft">
      {required ? name : `${name} (optional)`}
      {schema.enum === undefined ? (
        <input name={`${place}:${name}`} required={required} autoComplete="off" className={`${control} text-text`} />
      ) : (
        <select name={`${place}:${name}`} className={`${control} text-text`} defaultValue="">
          {!required && <option value="" />}
          {schema.enum.map((value) => (
            <option key={String(value)}>{String(value)}</option>
          ))}
        </select>
      )}
    </label>
  )
}
