/* Where a node with one cut sends a cell: to[0], to[1], or to[2] if it is missing, without a branch the processor could guess wrong. */
static int32_t model_side(const model_node *node, double x) {
  if (fabs(x) > DBL_MAX) return REFUSED;
  return node->to[!(x <= node->cut) + (x != x)];
}

#if HAS_MANY
#define COLUMN_OF(node) ((node)->column & (MANY - 1))
/* The first of `count` cuts that a cell does not exceed. */
static int32_t model_interval(int32_t low, int32_t count, double x) {
  int32_t high = low + count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (x <= model_cuts[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
#else
#define COLUMN_OF(node) ((node)->column)
#endif

static int32_t model_jump(const model_node *node, double x) {
#if HAS_MANY
  if (node->column >= MANY) {
    if (fabs(x) > DBL_MAX) return REFUSED;
    if (x != x) return node->to[2];
    return model_jumps[model_interval(node->to[0], node->to[1], x)];
  }
#endif
  return model_side(node, x);
}

/* The leaf of a row, or REFUSED, or SPREAD where it goes several ways. */
static int32_t model_descend(int32_t at, const double *row) {
  while (at >= 0 && model_nodes[at].column != ANSWER) at = model_jump(&model_nodes[at], row[COLUMN_OF(&model_nodes[at])]);
  return at;
}

#if LINEAR || SCORES
/* Value k of an answer that is computed from cells: whether there is one, which is not where a cell is infinite. */
static int model_tell(const double *row, int32_t answer, int32_t k, double *said) {
  double sum = model_answers[answer][k];
#if LINEAR
  int32_t t, l;
  for (t = model_term_begin[answer * VALUES + k]; t < model_term_begin[answer * VALUES + k + 1]; ++t) {
    const model_term *const term = &model_terms[t];
    double x = row[term->column];
    if (fabs(x) > DBL_MAX) return 0;
    if (x != x) {
      x = term->missing;
    } else if (term->listed) {
      double found = 0;
      for (l = term->first; l < term->last; ++l)
        if (x == model_term_levels[l]) found = 1;
      x = found;
    }
    { volatile double part = term->coefficient * x; sum += part; } /* volatile: no fused operation */
  }
#endif
  (void)row;
#if BOUNDED
  if (sum > DBL_MAX) sum = DBL_MAX;
  if (sum < -DBL_MAX) sum = -DBL_MAX;
#endif
  *said = sum;
  return 1;
}
#endif

#if SPREADS
typedef struct {
  int32_t node;
  double share;
} model_part;

#if !IN_TURN
static int model_before(const void *a, const void *b) {
  const int32_t one = TURN(((const model_part *)a)->node), two = TURN(((const model_part *)b)->node);
  return (one > two) - (one < two);
}
#endif

#if SOFT
static double model_below(const model_ramp *ramp, double x) {
  const int last = ramp->points - 1;
  int k = 0;
  double part;
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
static int32_t model_ends(const double *row, int soft, model_part *ends, model_part *open) {
  int32_t n_ends = 0, rule, node;
  double left = 1;
  for (rule = 0; rule < RULES && left > 0; ++rule) {
    double share = 1;
    for (node = model_rules[rule].first; node < model_rules[rule].answer && share > 0; ++node) {
      const int32_t to = model_jump(&model_nodes[node], row[COLUMN_OF(&model_nodes[node])]);
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
  (void)soft;
  (void)open;
  return n_ends;
}
#else
/* All ends of a row in the order in which they are added up; their number, or REFUSED. `ends` and `open` have room for ROOM parts. */
static int32_t model_ends(const double *row, int soft, model_part *ends, model_part *open) {
  int32_t n_open = 1, n_ends = 0;
  open[0].node = 0;
  open[0].share = 1;
  while (n_open > 0) {
    const model_part part = open[--n_open];
    int32_t at = part.node;
    int divided = 0;
    while (model_nodes[at].column != ANSWER) {
      const double x = row[COLUMN_OF(&model_nodes[at])];
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
    if (!divided) { ends[n_ends].node = at; ends[n_ends++].share = part.share; }
  }
  (void)soft;
  qsort(ends, (size_t)n_ends, sizeof *ends, model_before);
  return n_ends;
}
#endif

/* Adds up what the ends of a row say: VALUES numbers; shares that differ from the largest by rounding only are as large. Gives the number of ends, or REFUSED
   (also where memory is short), and the first of them. */
static int32_t model_mix(const double *row, double *said, int32_t *first) {
#if ROOM > 512
  model_part *const ends = (model_part *)malloc(2 * (size_t)ROOM * sizeof *ends);
  if (ends == NULL) return REFUSED;
#else
  model_part ends[2 * ROOM];
#endif
  const int32_t n = model_ends(row, SOFT, ends, ends + ROOM);
  int32_t i, k;
#if LINEAR
  int known = n;
#endif
  *first = n > 0 ? ends[0].node : REFUSED;
  for (k = 0; k < VALUES; ++k) said[k] = 0;
  for (i = 0; i < n; ++i)
    for (k = 0; k < VALUES; ++k) {
      const int32_t answer = model_nodes[ends[i].node].to[0];
      double value = model_answers[answer][k];
#if LINEAR
      if (!model_tell(row, answer, k, &value)) known = REFUSED;
#endif
      { volatile double part = ends[i].share * value; said[k] += part; } /* volatile: no fused operation */
    }
#if CLASSES
  if (n > 1 || SOFT) {
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

int32_t model_leaf(const double *row) {
  const int32_t leaf = model_descend(0, row);
#if SPREADS
  if (leaf == SPREAD) {
#if ROOM > 512
    model_part *const ends = (model_part *)malloc(2 * (size_t)ROOM * sizeof *ends);
    if (ends == NULL) return REFUSED;
#else
    model_part ends[2 * ROOM];
#endif
    const int32_t n = model_ends(row, 0, ends, ends + ROOM);
    model_part best;
    int32_t i;
    best.node = REFUSED;
    best.share = 0;
    for (i = 0; i < n; ++i)
      if (ends[i].share > best.share || (ends[i].share == best.share && ends[i].node < best.node)) best = ends[i];
#if ROOM > 512
    free(ends);
#endif
    return best.node;
  }
#endif
  return leaf;
}

#if SCORES
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

/* The shares of all classes, as declared, from their scores; scores that differ by rounding only are equal. 0, or REFUSED. */
static int32_t model_scored(const double *row, int32_t leaf, double *shares) {
  double most = -1e300, sum = 0;
  int32_t k;
  if (leaf < 0) return REFUSED;
  for (k = 0; k < VALUES; ++k) {
    double score;
    if (!model_tell(row, model_nodes[leaf].to[0], k, &score)) return REFUSED;
    if (score != score) score = 0;
    if (score > 1e300) score = 1e300;
    if (score < -1e300 && score != -1e308) score = -1e300; /* -1e308 stands for a class that training had no rows of */
    shares[k] = score;
    if (shares[k] > most) most = shares[k];
  }
  for (k = 0; k < VALUES; ++k) {
    const double above = shares[k] - most;
    shares[k] = above >= -1.0 / 134217728 ? 1 : model_exp(above);
    sum += shares[k];
  }
  for (k = 0; k < VALUES; ++k) shares[k] /= sum;
  return 0;
}
#endif

#if CLASSES || SEVERAL
/* All VALUES numbers of the answer of a row that ended in a leaf, was refused, or (SPREAD) has to be added up: 0, or REFUSED. */
static int32_t model_values(const double *row, int32_t leaf, double *said) {
  int32_t k;
#if SCORES
  double shares[VALUES];
  if (model_scored(row, leaf, shares) == REFUSED) return REFUSED;
  for (k = 0; k < SHARES; ++k) said[k] = shares[model_order[k]];
  return 0;
#else
#if SPREADS
  if (leaf == SPREAD || SOFT) return model_mix(row, said, &leaf) == REFUSED ? REFUSED : 0;
#endif
  (void)row;
  if (leaf == REFUSED) return REFUSED;
  for (k = 0; k < VALUES; ++k) said[k] = model_answers[model_nodes[leaf].to[0]][k];
  return 0;
#endif
}
#endif

#if SEVERAL
int32_t model_predict(const double *row, double *numbers) { return model_values(row, model_descend(0, row), numbers); }
#else
/* The answer of a row that ended in a leaf, was refused, or (SPREAD) has to be added up. */
static model_answer model_say(const double *row, int32_t leaf) {
#if SPREADS
  if (leaf == SPREAD || SOFT) {
    double said[VALUES];
    const int32_t n = model_mix(row, said, &leaf);
    if (n == REFUSED) return NO_ANSWER;
#if CLASSES
    {
      int32_t best = 0, k = 1;
      if (n == 1 && !SOFT) return model_labels[model_nodes[leaf].to[0]];
      for (; k < VALUES; ++k)
        if (said[model_declared[k]] > said[model_declared[best]]) best = k;
      return model_declared[best];
    }
#else
    return said[0];
#endif
  }
#endif
  (void)row;
  if (leaf == REFUSED) return NO_ANSWER;
#if SCORES
  {
    double shares[VALUES];
    int32_t best = 0, k;
    if (model_scored(row, leaf, shares) == REFUSED) return NO_ANSWER;
    for (k = 1; k < VALUES; ++k)
      if (shares[k] > shares[best]) best = k;
    for (k = 0; model_order[k] != best; ++k) {}
    return k;
  }
#elif CLASSES
  return model_labels[model_nodes[leaf].to[0]];
#elif LINEAR
  {
    double said;
    return model_tell(row, model_nodes[leaf].to[0], 0, &said) ? said : NO_ANSWER;
  }
#else
  return model_answers[model_nodes[leaf].to[0]][0];
#endif
}

model_answer model_predict(const double *row) { return model_say(row, model_descend(0, row)); }
#endif

#if CLASSES
int32_t model_predict_proba(const double *row, double *shares) { return model_values(row, model_descend(0, row), shares); }
#endif

/* Sends some rows down together, so that the memory of one is fetched while the others move. */
#define LANES 12
#define AHEAD 16 /* rows that are fetched before they are needed */
#define BLOCK 4096
static void model_descend_many(const double *rows, size_t n, int32_t *leaves) {
  struct { const double *row; const model_node *node; } lanes[LANES];
  size_t next = 0, busy = 0, i, k;
  for (; busy < LANES && next < n; ++busy, ++next) {
    lanes[busy].row = rows + next * COLUMNS;
    lanes[busy].node = model_nodes;
  }
  while (busy > 0) {
    for (i = 0; i < busy; ++i) {
      const model_node *const node = lanes[i].node;
      int32_t at;
      if (node->column != ANSWER) {
        at = model_jump(node, lanes[i].row[COLUMN_OF(node)]);
        if (at >= 0) {
          lanes[i].node = &model_nodes[at];
          FETCH(lanes[i].node);
          continue;
        }
      } else {
        at = (int32_t)(node - model_nodes);
      }
      leaves[(size_t)(lanes[i].row - rows) / COLUMNS] = at;
      if (next < n) {
        if (next + AHEAD < n)
          for (k = 0; k < COLUMNS && k < 64; k += 8) FETCH(rows + (next + AHEAD) * COLUMNS + k);
        lanes[i].row = rows + next++ * COLUMNS;
        lanes[i].node = model_nodes;
      } else {
        lanes[i] = lanes[--busy];
      }
    }
  }
}

void model_predict_many(const double *rows, size_t n, model_answer *answers) {
  int32_t leaves[BLOCK];
  while (n > 0) {
    const size_t some = n < BLOCK ? n : BLOCK;
    size_t i;
    model_descend_many(rows, some, leaves);
    for (i = 0; i < some; ++i) {
#if SEVERAL
      size_t k;
      if (model_values(rows + i * COLUMNS, leaves[i], answers + i * VALUES) == REFUSED)
        for (k = 0; k < VALUES; ++k) answers[i * VALUES + k] = NO_ANSWER;
#else
      answers[i] = model_say(rows + i * COLUMNS, leaves[i]);
#endif
    }
    rows += some * COLUMNS;
    answers += SEVERAL ? some * VALUES : some;
    n -= some;
  }
}

#if TEXT_LEVELS
double model_level(int32_t column, const char *text, size_t length) {
  size_t low, high;
  if (column < 0 || column >= COLUMNS) return UNSEEN_MISSING;
  low = model_text_begin[column];
  high = model_text_begin[column + 1];
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const model_text *const level = &model_texts[middle];
    const size_t both = level->length < length ? level->length : length;
    const int order = memcmp(level->bytes, text, both);
    if (order == 0 && level->length == length) return level->code;
    if (order < 0 || (order == 0 && level->length < length))
      low = middle + 1;
    else
      high = middle;
  }
  return model_unseen[column];
}
#endif

#if NUMBER_LEVELS
double model_level_number(int32_t column, double value) {
  size_t at;
  if (column < 0 || column >= COLUMNS || value != value) return UNSEEN_MISSING;
  for (at = model_number_begin[column]; at < model_number_begin[column + 1]; ++at)
    if (model_numbers[at].value == value) return model_numbers[at].code;
  return model_unseen[column];
}
#endif
