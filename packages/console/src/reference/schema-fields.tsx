import { InlineText } from './markdown-text.tsx'
import { boundsOf, resolve, type Schema, type Schemas, type Shape, shapesOf, typeText } from './schema.ts'

/** How deep fields within fields are shown; the document has the rest. Source: own choice. */
const DEPTH_MAX = 5
/** More alternatives are named, and not shown one by one. Source: own choice. */
const SHAPES_MAX = 12

interface FieldsProps {
  readonly schema: Schema
  readonly schemas: Schemas
  /** The named schemas around these fields. */
  readonly path?: readonly string[]
  readonly depth?: number
}

/** The fields of an object, or of each object that a value can be. */
export function SchemaFields({ schema, schemas, path = [], depth = 0 }: FieldsProps) {
  const shapes = shapesOf(schema, schemas, path)
  const [only, second] = shapes
  if (only === undefined) return <p className="text-soft">{typeText(schema, schemas)}</p>
  if (second === undefined) return <ObjectFields shape={only} schemas={schemas} depth={depth} />
  return (
    <div className="flex flex-col gap-2">
      {shapes.slice(0, SHAPES_MAX).map((shape, at) => (
        <details key={at} className="rounded-lg border border-line px-3 py-1" open={depth === 0 && at === 0}>
          <summary className="cursor-pointer py-1">
            <code className="font-mono text-[12.5px]">{shape.name ?? `form ${at + 1}`}</code>
          </summary>
          <ObjectFields shape={shape} schemas={schemas} depth={depth + 1} />
        </details>
      ))}
    </div>
  )
}

interface ObjectProps {
  readonly shape: Shape
  readonly schemas: Schemas
  readonly depth: number
}

function ObjectFields({ shape: { schema, path }, schemas, depth }: ObjectProps) {
  const required = new Set(schema.required)
  return (
    <ul className="divide-y divide-line/70">
      {Object.entries(schema.properties ?? {}).map(([name, field]) => (
        <li key={name} className="py-2.5">
          <Field name={name} schema={field} schemas={schemas} isRequired={required.has(name)} />
          {depth < DEPTH_MAX && shapesOf(field, schemas, path).length > 0 && (
            <details className="mt-1.5 border-l border-line pl-3">
              <summary className="cursor-pointer py-0.5 text-[12px] text-soft hover:text-text">
                Fields of <code className="font-mono">{name}</code>
              </summary>
              <SchemaFields schema={field} schemas={schemas} path={path} depth={depth + 1} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

interface FieldProps {
  readonly name: string
  readonly schema: Schema
  readonly schemas: Schemas
  readonly isRequired: boolean
}

/** The name of a value, what it is, and what it is for. */
export function Field({ name, schema, schemas, isRequired }: FieldProps) {
  const whole = resolve(schema, schemas)
  const bounds = boundsOf(whole)
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[12.5px] font-medium wrap-anywhere">{name}</code>
        <span className="text-[12px] text-soft">{typeText(schema, schemas)}</span>
        {isRequired && <span className="text-[12px] text-danger">required</span>}
      </div>
      {whole.description !== undefined && (
        <p className="mt-0.5 max-w-prose text-soft">
          <InlineText text={whole.description} />
        </p>
      )}
      {(whole.enum !== undefined || whole.default !== undefined || bounds.length > 0) && (
        <p className="mt-0.5 text-[12px] text-soft">
          {whole.enum !== undefined && <Values values={whole.enum} />}
          {[...bounds, ...(whole.default === undefined ? [] : [`by default ${JSON.stringify(whole.default)}`])].join(
            '; ',
          )}
        </p>
      )}
    </>
  )
}

function Values({ values }: { readonly values: readonly unknown[] }) {
  return (
    <span className="mr-2">
      one of{' '}
      {values.map((value, at) => (
        <span key={at}>
          {at > 0 && ', '}
          <code className="font-mono">{String(value)}</code>
        </span>
      ))}
    </span>
  )
}
