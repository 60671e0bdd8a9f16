/* Plain gradient descent on the exact population loss under white Gaussian inputs, one step after the other.
 *
 * The same formulas as docendo.training.plane, but for W_V, which is kept as a matrix. logits and target hold the
 * columns of W_KQ and of S* as rows, so that every softmax is contiguous. RELU=1 is ReLU, RELU=0 the identity.
 */
#include <math.h>

#ifndef RELU
#define RELU 0
#endif

static const double MOMENT = RELU ? 0.5 : 1.0; /* alpha + beta */
#if RELU
static const double BEND = 0.5 / 3.14159265358979323846; /* 2 beta / pi */
#endif

static void step(
    const int D, const int M, const int d, double *restrict W, double *restrict logits,
    const double *restrict V, const double *restrict target, const double rate, const double tau)
{
    double s[D], size = 0, excess = 0, total = 0, drift = 0;
#if RELU
    double own[M], turn[M], norm[M], length[M], inner[M];
    double cosine[M], sine_square[M];
#endif

    for (int m = 0; m < M; m++) {
        const double *w = W + m * d, *v = V + m * d;
        double ww = 0, wd = 0;
        for (int a = 0; a < d; a++) {
            ww += w[a] * w[a];
            wd += w[a] * (w[a] - v[a]);
        }
        size += ww;
        excess += wd;
#if RELU
        double vv = 0, dv = 0, across = 0;
        for (int a = 0; a < d; a++) {
            vv += v[a] * v[a];
            dv += (w[a] - v[a]) * v[a];
        }
        for (int a = 0; a < d; a++) {
            const double o = (w[a] - v[a]) - dv / vv * v[a];
            across += o * o;
        }
        norm[m] = sqrt(vv);
        length[m] = sqrt(ww);
        inner[m] = vv + dv;
        cosine[m] = ww > 0 ? inner[m] / (norm[m] * length[m]) : 0;
        sine_square[m] = ww > 0 ? across / ww : 1;
        own[m] = turn[m] = 0;
#endif
    }

    for (int i = 0; i < D; i++) {
        double *l = logits + (long)i * D;
        const double *t = target + (long)i * D;
        double largest = l[0], sum = 0, x = 0, y = 0, tt = 0;
        for (int j = 0; j < D; j++) largest = l[j] > largest ? l[j] : largest;
        for (int j = 0; j < D; j++) {
            s[j] = exp(tau * (l[j] - largest));
            sum += s[j];
        }
        for (int j = 0; j < D; j++) {
            s[j] /= sum;
            const double error = s[j] - t[j];
            x += error * t[j];
            y += error * error;
            tt += t[j] * t[j];
        }
        const double agreement = tt + x, q = tt + 2 * x + y;
        double by_error = MOMENT * size, by_target = MOMENT * excess;
#if RELU
        const double column = sqrt(q), target_column = sqrt(tt);
        const double column_cosine = agreement / (column * target_column), column_sine_square = (y - x * x / tt) / q;
        double pull = 0, twist = 0;
        for (int m = 0; m < M; m++) {
            const double sine = sqrt(sine_square[m] + cosine[m] * cosine[m] * column_sine_square);
            const double angle = atan2(sine, cosine[m] * column_cosine);
            pull += norm[m] * length[m] * sine;
            twist += inner[m] * angle;
            own[m] += column * target_column * sine;
            turn[m] += agreement * angle;
        }
        pull *= -BEND * target_column / column;
        by_error += pull;
        by_target += pull + BEND * twist;
#endif
        const double mean = by_error * (x + y) + by_target * agreement;
        for (int j = 0; j < D; j++)
            l[j] -= rate * tau * s[j] * (by_error * (s[j] - t[j]) + by_target * t[j] - mean);
        total += q;
        drift += x + y;
    }

    for (int m = 0; m < M; m++) {
        double *w = W + m * d;
        const double *v = V + m * d;
        double by_own = 0, by_target = MOMENT * drift;
#if RELU
        by_own = length[m] > 0 ? -BEND * norm[m] / length[m] * own[m] : 0;
        by_target += BEND * turn[m];
#endif
        for (int a = 0; a < d; a++)
            w[a] -= rate * (MOMENT * total * (w[a] - v[a]) + by_target * v[a] + by_own * w[a]);
    }
}

void steps(int D, int M, int d, double *W, double *logits, const double *V, const double *target,
           double rate, double tau, long count)
{
    while (count--) step(D, M, d, W, logits, V, target, rate, tau);
}
