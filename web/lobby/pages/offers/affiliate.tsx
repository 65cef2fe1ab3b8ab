import type { AffiliateCode, AffiliateLevel, AffiliateSummary } from '../../../../client/call.ts';
import { units } from '../../../../src/platform/money.ts';
import { Usd } from '../../../kit/amount.tsx';
import { ActButton, Field, Form } from '../../../kit/form.tsx';
import { Tile } from '../../../kit/lines.tsx';
import { Card, Copy, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { Claims, Referred } from './affiliate-lists.tsx';
import { OfferTabs, useProgramme } from './parts.tsx';

const CODES = 'GET /affiliate/code';
const OVERVIEW = 'GET /affiliate/overview';
const ME = 'GET /affiliate/me';

/** The player's earnings as an affiliate. */
export function Affiliate() {
  const { affiliate } = words.offers;
  const me = useRead(ME, {});
  const levels = useRead('GET /affiliate/levels', {}, { staleMs: 300_000 });
  return (
    <Page title={affiliate.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{affiliate.hint}</p>
        <Earned />
        <Codes />
        <Loaded of={me}>
          {(summary) => (
            <Card title={affiliate.level}>
              <div className="stack">
                <Level of={summary} />
                <Loaded of={levels}>{(all) => <Levels of={all} current={summary.currentLevel.id} />}</Loaded>
              </div>
            </Card>
          )}
        </Loaded>
        <Referred />
        <Claims />
      </div>
    </Page>
  );
}

function Earned() {
  const { affiliate } = words.offers;
  const overview = useRead(OVERVIEW, {});
  const claim = useAct('POST /affiliate/claim', {
    stale: [OVERVIEW, ME, 'GET /affiliate/claims', 'GET /accounting/balances'],
    said: ({ amount, currencyId }) => affiliate.claimed(`${amount} ${currencyId}`),
  });
  const programme = useProgramme();
  return (
    <Loaded of={overview}>
      {(all) => (
        <>
          <div className="tiles">
            <Tile
              label={affiliate.claimable}
              below={programme && affiliate.terms(programme.minClaimUsd, programme.holdDays)}
            >
              <Usd of={all.claimableUsdAmount} />
              {units(all.claimableUsdAmount) > 0n && (
                <span className="actions">
                  <ActButton act={claim} input={{}} kind="main">
                    {affiliate.claim}
                  </ActButton>
                </span>
              )}
            </Tile>
            <Tile label={affiliate.claimedInAll}>
              <Usd of={all.totalClaimedUsdAmount} />
            </Tile>
            <Tile label={affiliate.referrals}>{all.referrals}</Tile>
            <Tile label={affiliate.wagered}>
              <Usd of={all.totalWageredUsdAmount} />
            </Tile>
          </div>
        </>
      )}
    </Loaded>
  );
}

const linkOf = (code: string) => `${location.origin}/play/sign-up?ref=${encodeURIComponent(code)}`;

function Codes() {
  const { affiliate } = words.offers;
  const codes = useRead(CODES, {});
  const programme = useProgramme();
  const make = useAct('POST /affiliate/code', { stale: [CODES], said: affiliate.made });
  const columns: Columns<AffiliateCode> = [
    { head: affiliate.code, of: ({ id }) => id },
    { head: affiliate.signedUp, of: ({ usersCount = 0 }) => usersCount, end: true },
    { head: affiliate.link, of: ({ id }) => <Copy text={linkOf(id)} />, wide: true },
  ];
  return (
    <Card title={affiliate.codes}>
      <div className="stack">
        <Loaded of={codes}>
          {(own) => (
            <Table
              rows={own}
              columns={columns}
              caption={affiliate.codes}
              keyOf={({ id }) => id}
              empty={affiliate.noCodes}
            />
          )}
        </Loaded>
        <Form act={make} input={(f) => ({ body: { id: f.text('id') } })} submit={affiliate.make} isEmptied>
          <Field
            name="id"
            label={affiliate.newCode}
            hint={affiliate.codeHint(programme?.maxCodesPerUser)}
            required
            pattern="[A-Za-z0-9_\-]+"
            minLength={programme?.codeMinLength}
            maxLength={programme?.codeMaxLength ?? 20}
          />
        </Form>
      </div>
    </Card>
  );
}

function Level({ of: { currentLevel, nextLevel, ...summary } }: { of: AffiliateSummary }) {
  const { affiliate } = words.offers;
  return (
    <>
      <Facts
        of={{
          [affiliate.level]: currentLevel.name,
          [affiliate.commission]: affiliate.percent(currentLevel.commission),
          [affiliate.active]: `${summary.activeReferrals} / ${summary.referralCount}`,
          [affiliate.wagered]: <Usd of={summary.usersWageredUsdAmount} />,
          ...(nextLevel && {
            [affiliate.next]: (
              <>
                {nextLevel.name}: <Usd of={nextLevel.minWageredUsdAmount} />
              </>
            ),
          }),
        }}
      />
      {!summary.canClaim && <p className="dim">{affiliate.locked(currentLevel.minReferralCountForClaim)}</p>}
    </>
  );
}

function Levels({ of, current }: { of: readonly AffiliateLevel[]; current: number }) {
  const { affiliate } = words.offers;
  const columns: Columns<AffiliateLevel> = [
    {
      head: affiliate.level,
      of: ({ id, name }) => (id === current ? <strong>● {name}</strong> : name),
    },
    { head: affiliate.commission, of: ({ commission }) => affiliate.percent(commission), end: true },
    { head: affiliate.from, of: ({ minWageredUsdAmount: usd }) => <Usd of={usd} />, end: true },
    { head: affiliate.forClaim, of: (level) => level.minReferralCountForClaim, end: true },
  ];
  return <Table rows={of} columns={columns} caption={affiliate.levels} keyOf={({ id }) => id} />;
}
