/* Gradient descent on the first-step loss of the three-subject world (n = 3, k = 2): the loop that the compiled Python
   loop is measured against. theta has six entries for each replica; one replica after another. */
#include <math.h>

/* The six relations by the in-context answer (0 or 1) they give to two of the three subjects (Table 1). */
static const int SUBJECT[6][2] = {{0, 1}, {0, 1}, {0, 2}, {0, 2}, {1, 2}, {1, 2}};
static const int ANSWER[6][2] = {{0, 1}, {1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 0}};

static void step(double *theta, double rate, double inverse_temperature) {
  double v[6], logit[6], gradient[6] = {0};
  double top = theta[0], total = 0, highest = -INFINITY, mass = 0, mean = 0;
  for (int i = 1; i < 6; i++) top = theta[i] > top ? theta[i] : top;
  for (int i = 0; i < 6; i++) total += v[i] = exp(theta[i] - top);
  for (int i = 0; i < 6; i++) v[i] /= total;
  for (int r = 0; r < 6; r++) { /* the term sum v_i^2 is common to all relations and cancels */
    logit[r] = 0;
    for (int q = 0; q < 2; q++) logit[r] += v[2 * SUBJECT[r][q]] * v[2 * ANSWER[r][q] + 1];
    logit[r] *= 2 * inverse_temperature;
    highest = logit[r] > highest ? logit[r] : highest;
  }
  for (int r = 0; r < 6; r++) mass += logit[r] = exp(logit[r] - highest);
  for (int r = 0; r < 6; r++) {
    double pull = 2 * inverse_temperature * (logit[r] / mass - (r == 0));
    for (int q = 0; q < 2; q++) {
      int s = 2 * SUBJECT[r][q], a = 2 * ANSWER[r][q] + 1;
      gradient[s] += pull * v[a];
      gradient[a] += pull * v[s];
    }
  }
  for (int i = 0; i < 6; i++) mean += v[i] * gradient[i];
  for (int i = 0; i < 6; i++) theta[i] -= rate * v[i] * (gradient[i] - mean);
}

void descend(double *theta, long replicas, long steps, double rate, double temperature) {
  for (long replica = 0; replica < replicas; replica++)
    for (long t = 0; t < steps; t++) step(theta + 6 * replica, rate, 1 / temperature);
}
