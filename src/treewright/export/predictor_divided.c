/* -- Powers of e, for shares from scores, for gates and for squashed sums. -- */
#if SCORES || SIGMOIDS || SQUASHED || SHARED || POWERS
static double model_times(double a, double b) { volatile double product = a * b; return product; } /* volatile: no fused operation */

/* e to the power of x, not above 0, by the model's own operations: libraries round the last digit in ways of their own. */
static double model_exp(double x) {
  volatile double shifted;
  double k, r, z, even, odd;
  if (x < -708) return 0;
  shifted = model_times(x, 1.4426950408889634) + 6755399441055744.0;
  k = shifted - 6755399441055744.0;
  r = (x - model_times(k, 0.6931471805582987)) - model_times(k, 1.6465949582897082e-12);
  z = model_times(r, r);
  even = 1.0 / 3628800 + model_times(z, 1.0 / 479001600);
  even = 1.0 / 720 + model_times(z, 1.0 / 40320 + model_times(z, even));
  even = 1 + model_times(z, 1.0 / 2 + model_times(z, 1.0 / 24 + model_times(z, even)));
  odd = 1.0 / 39916800 + model_times(z, 1.0 / 6227020800.0);
  odd = 1.0 / 5040 + model_times(z, 1.0 / 362880 + model_times(z, odd));
  odd = 1 + model_times(z, 1.0 / 6 + model_times(z, 1.0 / 120 + model_times(z, odd)));
  return ldexp(even + model_times(odd, r), (int)k);
}
#endif

/* -- Rows that go several ways: the leaves of their parts, and what these say together. -- */
#if SPREADS
typedef struct {
  int32_t node;
  double share;
/* -- only rejoins -- */
  int32_t place; /* in the order in which parts came to leaves */
/* -- end -- */
} model_part;

#if !IN_TURN
static int model_before(const void *a, const void *b) {
  const int32_t one = TURN(((const model_part *)a)->node), two = TURN(((const model_part *)b)->node);
/* -- only rejoins -- */
  if (one == two) return ((const model_part *)a)->place - ((const model_part *)b)->place;
/* -- end -- */
  return (one > two) - (one < two);
}
#endif

#if SOFT
static double model_below(const model_ramp *ramp, double x) {
  const int last = ramp->points - 1;
  int k = 0;
  double part;
#if SIGMOIDS
  if (ramp->points == 0) {
    const double z = model_times(ramp->slope[0], x - ramp->at[0]), e = model_exp(z > 0 ? -z : z);
    return (z > 0 ? e : 1) / (1 + e);
  }
#endif
  if (x <= ramp->at[0]) return ramp->share[0];
  if (x >= ramp->at[last]) return ramp->share[last];
  while (ramp->at[k + 1] <= x) ++k;
  if (x == ramp->at[k]) return ramp->share[k];
  { volatile double rise = ramp->slope[k] * (x - ramp->at[k]); part = rise + ramp->share[k]; } /* volatile: no fused operation */
  if (part != part) { volatile double rise = ramp->slope[k] * (x - ramp->at[k + 1]); part = rise + ramp->share[k + 1]; }
  return part;
}
#endif

#if IN_TURN
/* Every rule takes its share of what those before it left of a row. */
static int32_t model_ends(const double *row, int32_t root, int soft, model_part *ends, model_part *open) {
  int32_t n_ends = 0, rule, node;
  double left = 1;
  for (rule = 0; rule < RULES && left > 0; ++rule) {
    double share = 1;
    for (node = model_rules[rule].first; node < model_rules[rule].answer && share > 0; ++node) {
/* -- only derived -- */
      const int32_t to = model_jump(&model_nodes[node], model_cell(row, COLUMN_OF(&model_nodes[node])));
/* -- without derived -- */
      const int32_t to = model_jump(&model_nodes[node], row[COLUMN_OF(&model_nodes[node])]);
/* -- end -- */
      if (to == REFUSED) return REFUSED;
      if (to == SPREAD)
        share *= model_ways[model_way_begin[node]].share;
      else if (to != node + 1)
        share = 0;
    }
    {
      volatile double vote = left * share; /* volatile: no fused operation */
      if (vote > 0) { ends[n_ends].node = model_rules[rule].answer; ends[n_ends++].share = vote; }
      left = share == 1 ? 0 : left - vote;
    }
  }
  if (left > 0) { ends[n_ends].node = LAST; ends[n_ends++].share = left; }
  (void)root;
  (void)soft;
  (void)open;
  return n_ends;
}
#else
/* All ends of a row below a root in the order in which they are added up; their number, or REFUSED. `ends` and `open` have room for ROOM parts. */
static int32_t model_ends(const double *row, int32_t root, int soft, model_part *ends, model_part *open) {
  int32_t n_open = 1, n_ends = 0;
  open[0].node = root;
  open[0].share = 1;
  while (n_open > 0) {
    const model_part part = open[--n_open];
    int32_t at = part.node;
    int divided = 0;
    while (model_nodes[at].column != ANSWER) {
/* -- only derived -- */
      const double x = model_cell(row, COLUMN_OF(&model_nodes[at]));
/* -- without derived -- */
      const double x = row[COLUMN_OF(&model_nodes[at])];
/* -- end -- */
      int32_t to;
#if SOFT
      const model_ramp *const ramp = soft && model_soft[at] >= 0 ? &model_ramps[model_soft[at]] : NULL;
      if (ramp != NULL && (x - x == 0 || (x != x && ramp->fill == ramp->fill))) {
        const double below = model_below(ramp, x != x ? ramp->fill : x);
        if (below > 0) { open[n_open].node = model_nodes[at].to[0]; open[n_open++].share = part.share * below; }
        if (1 - below > 0) { open[n_open].node = model_nodes[at].to[1]; open[n_open++].share = part.share * (1 - below); }
        divided = 1;
        break;
      }
#endif
      to = model_jump(&model_nodes[at], x);
      if (to == REFUSED) return REFUSED;
#if HAS_WAYS
      if (to == SPREAD) {
        int32_t way;
        for (way = model_way_begin[at]; way < model_way_begin[at + 1]; ++way) {
          open[n_open].node = model_ways[way].node;
          open[n_open++].share = part.share * model_ways[way].share;
        }
        divided = 1;
        break;
      }
#endif
      at = to;
    }
/* -- only rejoins -- */
    if (!divided) ends[n_ends].place = n_ends;
/* -- end -- */
    if (!divided) { ends[n_ends].node = at; ends[n_ends++].share = part.share; }
  }
  (void)soft;
  qsort(ends, (size_t)n_ends, sizeof *ends, model_before);
  return n_ends;
}
#endif

/* Adds up what the ends of a row say: VALUES numbers; shares that differ from the largest by rounding only are as large. Gives the number of ends, or REFUSED
   (also where memory is short), and the first of them. */
static int32_t model_mix(const double *row, int32_t root, int soft, double *said, int32_t *first) {
#if ROOM > 512
  model_part *const ends = (model_part *)malloc(2 * (size_t)ROOM * sizeof *ends);
  if (ends == NULL) return REFUSED;
#else
  model_part ends[2 * ROOM];
#endif
  const int32_t n = model_ends(row, root, soft, ends, ends + ROOM);
  int32_t i, k;
#if LINEAR
  int known = n;
#endif
  *first = n > 0 ? ends[0].node : REFUSED;
  for (k = 0; k < VALUES; ++k) said[k] = 0;
  /* -- only listed -- */
  for (i = 0; i < n; ++i) {
    const int32_t answer = model_nodes[ends[i].node].to[0];
    for (k = model_share_begin[answer]; k < model_share_begin[answer + 1]; ++k) {
      volatile double part = ends[i].share * model_shares[k].share; /* volatile: no fused operation */
      said[model_shares[k].place] += part;
    }
  }
  /* -- end -- */
  /* -- without listed -- */
  for (i = 0; i < n; ++i)
    for (k = 0; k < VALUES; ++k) {
      const int32_t answer = model_nodes[ends[i].node].to[0];
      double value = model_answers[answer][k];
#if LINEAR
      if (!model_tell(row, answer, k, &value)) known = REFUSED;
#endif
      { volatile double part = ends[i].share * value; said[k] += part; } /* volatile: no fused operation */
    }
  /* -- end -- */
#if LABELLED && !SCORES
  if (n > 1 || soft) {
    double most = said[0];
    for (k = 1; k < VALUES; ++k)
      if (said[k] > most) most = said[k];
    for (k = 0; k < VALUES; ++k)
      if (said[k] >= most - TOLERANCE) said[k] = most;
  }
#endif
#if ROOM > 512
  free(ends);
#endif
#if LINEAR
  return known;
#else
  return n;
#endif
}
#endif

