import { type Exact, type ModelEntry, percentText } from '@svc/contract'
import { usePrefetchQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useSignedIn, useTeam } from '../../api/session.ts'
import { modelsQuery } from '../../api/team.ts'
import { samplesFor } from '../../samples/code-samples.ts'
import { KEY_HINT, KEY_PLACE } from '../../samples/code-parts.ts'
import { CodeTabs } from '../../samples/code-tabs.tsx'
import { backLink } from '../../ui/back-link.ts'
import { buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { Calculator } from './calculator.tsx'
import { MeasuredCard } from './measured-card.tsx'
import { Modalities } from './modalities.tsx'
import { unitPriceOf } from './model-list.ts'
import { speedsQuery, useSpeeds } from './model-speed.ts'
import { PromptUse } from './prompt-use.tsx'
import { TryLink } from './try-link.tsx'

const route = getRouteApi('/signed-in/team/$teamId/models/$modelId')

type Model = Exact<ModelEntry>

/** One model: its prices, what it takes and gives, what a month costs, and how to call it. */
export function ModelPage() {
  const team = useTeam()
  const { modelId: id } = route.useParams()
  usePrefetchQuery(speedsQuery)
  const { data: models } = useSuspenseQuery(modelsQuery).data
  const model = models.find((one) => one.id === id)
  return (
    <>
      <Link to="/team/$teamId/models" params={{ teamId: team.id }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Models
      </Link>
      {model === undefined ? (
        <Page title="Model">
          <Empty
            text={`There is no model “${id}” here, or not any more.`}
            action={
              <Link to="/team/$teamId/models" params={{ teamId: team.id }} className={buttonLook('secondary')}>
                Show all models
              </Link>
            }
          />
        </Page>
      ) : (
        <OneModel model={model} />
      )}
    </>
  )
}

function OneModel({ model }: { readonly model: Model }) {
  const { gateway } = useSignedIn()
  const speed = useSpeeds().get(model.id)
  const parts = { baseUrl: gateway.api_base_url, key: KEY_PLACE, model: model.id }
  return (
    <Page
      title={model.name}
      lead={<span className="font-mono text-[12.5px] wrap-anywhere">{model.id}</span>}
      actions={
        <>
          <CopyButton text={model.id} what="the id">
            Copy the id
          </CopyButton>
          <TryLink model={model} />
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {model.description !== '' && <p className="max-w-3xl whitespace-pre-line text-soft">{model.description}</p>}
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title="Prices">
            <Prices model={model} />
          </Card>
          <Card title="Details">
            <Details model={model} />
          </Card>
        </div>
        {speed !== undefined && <MeasuredCard speed={speed} />}
        <Calculator model={model} />
        <section>
          <h2 className="mb-3 font-semibold">Use it</h2>
          <CodeTabs key={model.id} samples={samplesFor(model.svc.type, parts)} />
          <p className="mt-2 text-[12px] text-soft">{KEY_HINT}</p>
        </section>
      </div>
    </Page>
  )
}

function Prices({ model }: { readonly model: Model }) {
  const { svc, pricing } = model
  const unit = unitPriceOf(model)
  const tiers = pricing?.overrides ?? []
  return (
    <>
      <Facts>
        <Price name="Input" value={svc.credits_per_1m_input} per="million tokens" />
        <Price name="Output" value={svc.credits_per_1m_output} per="million tokens" />
        {unit !== null && <Price name="Media" value={unit.credits} per={unit.per} />}
      </Facts>
      {tiers.length > 0 && (
        <p className="mt-3 text-[12px] text-soft">
          Prompts of more than {tiers.map((tier) => tier.min_prompt_tokens.toLocaleString()).join(' or ')} tokens have
          dearer prices for the whole request. “Your month” counts with them.
        </p>
      )}
      <p className="mt-3 text-[12px] text-soft">The margin of {percentText(svc.margin_bps)} is in these prices.</p>
      <OwnPrice model={model} />
    </>
  )
}

/** What the model behind an alias is sold at by its own name, where that is another price. */
function OwnPrice({ model: { svc } }: { readonly model: Model }) {
  const team = useTeam()
  const target = useSuspenseQuery(modelsQuery).data.data.find(({ id }) => id === svc.alias_for)
  if (target === undefined) return null
  const { credits_per_1m_input: input, credits_per_1m_output: output } = target.svc
  if (input === null || output === null) return null
  if (input === svc.credits_per_1m_input && output === svc.credits_per_1m_output) return null
  return (
    <p className="mt-3 text-[12px] text-soft">
      This name is an alias, sold by the gateway’s rate card. By its own name,{' '}
      <Link
        to="/team/$teamId/models/$modelId"
        params={{ teamId: team.id, modelId: target.id }}
        className="font-mono wrap-anywhere underline underline-offset-2 hover:text-text"
      >
        {target.id}
      </Link>
      , the same model is sold by its list: <Credits value={input} withUnit={false} /> for input,{' '}
      <Credits value={output} withUnit={false} /> for output.
    </p>
  )
}

function Price({ name, value, per }: { readonly name: string; readonly value: string | null; readonly per: string }) {
  if (value === null) return null
  return (
    <Fact name={name}>
      <Credits value={value} /> <span className="text-soft">per {per},</span> <Usd value={value} />
    </Fact>
  )
}

function Details({ model }: { readonly model: Model }) {
  const { svc, architecture } = model
  return (
    <Facts>
      <Fact name="Kind">{svc.type}</Fact>
      {svc.alias_for !== null && (
        <Fact name="Leads to">
          <span className="font-mono text-[12.5px] wrap-anywhere">{svc.alias_for}</span>
        </Fact>
      )}
      {svc.aliases.length > 0 && (
        <Fact name="Also called">
          <span className="font-mono text-[12.5px] wrap-anywhere">{svc.aliases.join(', ')}</span>
        </Fact>
      )}
      <Fact name="Maker">{model.owned_by}</Fact>
      {model.context_length !== null && (
        <Fact name="Context">
          <span className="figures">{model.context_length.toLocaleString()}</span> tokens
        </Fact>
      )}
      {model.max_output_tokens !== null && (
        <Fact name="Output up to">
          <span className="figures">{model.max_output_tokens.toLocaleString()}</span> tokens
        </Fact>
      )}
      <Fact name="Takes">
        <Modalities kinds={architecture.input_modalities} />
      </Fact>
      <Fact name="Gives">
        <Modalities kinds={architecture.output_modalities} />
      </Fact>
      <Fact name="Prompts">
        <PromptUse model={model} />
      </Fact>
    </Facts>
  )
}
